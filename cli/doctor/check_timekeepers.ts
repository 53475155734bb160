import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import {
  CRON_JOBS,
  type DatabaseFacts,
  readCronJobs,
} from "../../supabase/functions/_shared/db/queue/installation.ts";
import { type LastTicks, readLastTicks } from "../../supabase/functions/_shared/db/queue/settings.ts";
import { failed, type Finding, ok, warning } from "./finding.ts";

/** As in `GET /health`: pg_cron ticks once per minute at least. */
const SILENT_AFTER_MS = 90_000;

/** A tick of pg_cron that meets one of a dispatcher does nothing, and shows nowhere. */
const UNSEEN_AFTER_MS = 3 * 60_000;

const SCHEDULE = "As the owner of the tables, in this database: select outbound.schedule_jobs();";

/** Checks what moves the queue on: pg_cron with its jobs, and the dispatchers. */
export async function checkTimekeepers(
  sql: Sql,
  { cron }: Pick<DatabaseFacts, "cron">,
): Promise<Finding[]> {
  const ticks = await readLastTicks(sql);
  return [await cronFinding(sql, cron, ticks), dispatcherFinding(ticks)];
}

async function cronFinding(sql: Sql, cron: string | null, ticks: LastTicks): Promise<Finding> {
  if (cron === null) return ok("pg_cron", "not installed: dispatchers do its work");
  const { jobs, sees_all } = await readCronJobs(sql);
  if (jobs.length === 0 && !sees_all) return unseenFinding(cron, ticks);
  const named = (names: string[]) => names.join(", ");
  const missing = CRON_JOBS.filter((name) => jobs.every((job) => job.name !== name));
  if (missing.length > 0) return failed("pg_cron", `${cron} lacks the jobs ${named(missing)}`, SCHEDULE);
  const inactive = jobs.filter(({ active }) => !active).map(({ name }) => name);
  if (inactive.length > 0) {
    return failed(
      "pg_cron",
      `inactive: ${named(inactive)}`,
      "Switch them on: select cron.alter_job(jobid, active => true) from cron.job where jobname like 'outbound-%';",
    );
  }
  if (jobs.every(({ last_status }) => last_status === null)) {
    return failed(
      "pg_cron",
      `${cron} has run none of its ${jobs.length} jobs within ten minutes`,
      "Wait a minute if they are new. Else check shared_preload_libraries, cron.database_name and the server's log: " +
        "docs/operations.md#pg_cron.",
    );
  }
  const broken = jobs.filter(({ last_status }) => last_status === "failed").map(({ name }) => name);
  if (broken.length > 0) {
    return failed(
      "pg_cron",
      `the last run failed of ${named(broken)}`,
      "Read why, and remove the cause: select return_message from cron.job_run_details where status = 'failed' " +
        "order by runid desc limit 5;",
    );
  }
  return ok("pg_cron", `${cron} runs ${jobs.length} jobs`);
}

/**
 * The jobs of another role are hidden, but their work shows. Without it, pg_cron may be there for others, and the
 * dispatchers do its work.
 */
function unseenFinding(cron: string, { pg_cron, now }: LastTicks): Finding {
  if (isRecent(pg_cron, now, UNSEEN_AFTER_MS)) {
    return ok("pg_cron", `${cron} keeps time, with the jobs of another role`);
  }
  return warning(
    "pg_cron",
    `${cron} did nothing for us in three minutes, and this role sees no job`,
    `${SCHEDULE} Its work shows a minute later; else see docs/operations.md#pg_cron.`,
  );
}

function dispatcherFinding({ dispatcher, pg_cron, now }: LastTicks): Finding {
  if (isRecent(dispatcher, now)) return ok("dispatcher", "running");
  const todo = "Start one: deno task serve, or deno task dispatch.";
  if (!isRecent(pg_cron, now)) return failed("dispatcher", "none runs: nothing is sent", todo);
  return warning("dispatcher", "none runs; pg_cron keeps time, and messages wait for POST /dispatch", todo);
}

function isRecent(tick: Date | null, now: Date, withinMs = SILENT_AFTER_MS): boolean {
  return tick !== null && now.getTime() - tick.getTime() < withinMs;
}
