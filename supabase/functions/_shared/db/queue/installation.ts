import type { Sql } from "../driver/connect.ts";

/** Facts about the server and the database that hold for the whole installation. */
export interface DatabaseFacts {
  /** 150012 is 15.12. */
  version: number;
  read_only: boolean;
  now: Date;
  size_bytes: number;
  /**
   * The age of the oldest snapshot that keeps vacuum from removing dead rows, prepared transactions included; 0 when there
   * is none.
   */
  oldest_snapshot_s: number;
  /** The version of the extension; null without it. */
  cron: string | null;
}

export async function readDatabaseFacts(sql: Sql): Promise<DatabaseFacts> {
  const [row] = await sql<DatabaseFacts[]>`
    select current_setting('server_version_num')::int as version,
      current_setting('transaction_read_only')::boolean as read_only,
      clock_timestamp() as now, pg_database_size(current_database())::float8 as size_bytes,
      coalesce((
        select extract(epoch from clock_timestamp() - min(snapshot.since)) from (
          select xact_start as since from pg_stat_activity
          where backend_xmin is not null and pid <> pg_backend_pid()
          union all select prepared from pg_prepared_xacts
        ) as snapshot
      ), 0)::int as oldest_snapshot_s,
      (select extversion from pg_extension where extname = 'pg_cron') as cron`;
  return row!;
}

/** The jobs that `outbound.schedule_jobs` schedules. */
export const CRON_JOBS = [
  "outbound-clean-up",
  "outbound-forget-runs",
  "outbound-steps",
];

/** A job of pg_cron that the schema schedules. */
export interface CronJob {
  name: string;
  active: boolean;
  /** Null when it did not run within the last ten minutes. */
  last_status: "succeeded" | "failed" | null;
}

/** Our jobs of pg_cron, as far as the user of this connection sees them. */
export interface CronJobs {
  jobs: CronJob[];
  /** Only a superuser and the user who scheduled a job see it. */
  sees_all: boolean;
}

/** Returns our jobs of pg_cron, which must be installed. Reads the runs of the last ten minutes alone. */
export async function readCronJobs(sql: Sql): Promise<CronJobs> {
  const [table] = await sql<{ readable: boolean; sees_all: boolean }[]>`
    select not row_security_active(job.oid) as sees_all,
      has_schema_privilege(n.oid, 'usage') and has_table_privilege(job.oid, 'select')
        and has_table_privilege(runs.oid, 'select') as readable
    from pg_namespace as n
    join pg_class as job on job.relnamespace = n.oid and job.relname = 'job'
    join pg_class as runs on runs.relnamespace = n.oid and runs.relname = 'job_run_details'
    where n.nspname = 'cron'`;
  if (!table?.readable) return { jobs: [], sees_all: false };
  const jobs = await sql<CronJob[]>`
    select j.jobname as name, j.active, run.status as last_status
    from cron.job as j
    left join lateral (
      select r.status from cron.job_run_details as r
      where r.jobid = j.jobid and r.status in ('succeeded', 'failed')
        and r.start_time > now() - interval '10 minutes'
      order by r.runid desc limit 1
    ) as run on true
    where j.jobname like 'outbound-%' order by j.jobname`;
  return { jobs, sees_all: table.sees_all };
}

/** A sender as far as its token can be checked. */
export interface SenderToCheck {
  company_id: string;
  sender_id: string;
  channel: "whatsapp" | "voice";
  number: string;
  platform_id: string;
  token_sealed: string | null;
  status: "active" | "stopped";
  stopped_reason: string | null;
}

/** Returns senders of all companies, the stopped ones first, then the newest. */
export async function readSendersToCheck(sql: Sql, limit: number): Promise<SenderToCheck[]> {
  return await sql<SenderToCheck[]>`
    select company_id, id as sender_id, channel, number, platform_id,
      token_sealed, status, stopped_reason
    from outbound.senders where live_sender_id is null order by status desc, created_at desc, id desc limit ${limit}`;
}
