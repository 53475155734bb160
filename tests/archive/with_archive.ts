import assert from "node:assert/strict";
import type postgres from "postgres";
import { openArchive } from "../../supabase/functions/_shared/archive/archive_reader.ts";
import { runArchive } from "../../supabase/functions/_shared/archive/run_archive.ts";
import type { ArchiveOptions } from "../../supabase/functions/_shared/archive/work_on_file.ts";
import {
  type ArchiveFile,
  beginArchiveTurn,
  readArchiveFiles,
} from "../../supabase/functions/_shared/db/archive/archive_files.ts";
import type { ArchivedRow } from "../../supabase/functions/_shared/db/archive/archived_rows.ts";
import { folderStore } from "../../supabase/functions/_shared/gateways/media_store/folder_store.ts";
import type { MediaStore } from "../../supabase/functions/_shared/gateways/media_store/media_store.ts";
import { deleteMediaLeftovers } from "../../supabase/functions/_shared/media/delete_leftovers.ts";
import { type Contacts, withContacts } from "../contacts/with_contacts.ts";
import {
  assertConserved,
  claim,
  enqueue,
  eventOf,
  fillBucket,
  finish,
  type Queued,
  report,
  type RequestOverrides,
  type SendingCompany,
} from "../setup/fixtures/queue.ts";
import type { JsonObject, TestAnswer } from "../setup/http/http.ts";

/** The service with a media store, and a company that archives after 30 days. */
export interface Archive extends Contacts {
  store: MediaStore;
  folder: string;
  /** As the queue's fixtures take it. */
  db: postgres.Sql;
  /** A request below the company, with its key. */
  askCompany(method: string, path: string, body?: unknown): Promise<TestAnswer<JsonObject>>;
  /** Begins the turn of every company, and archives until nothing is left to do. */
  run(options?: ArchiveOptions & { store?: MediaStore }): Promise<void>;
  files(): Promise<ArchiveFile[]>;
  /** All rows of the company's files, in their order. */
  archived(): Promise<ArchivedRow[]>;
  /** The objects that are left in the store when what is due is deleted. */
  objects(): Promise<string[]>;
  /** Messages of a campaign that was made 60 days ago: sent, delivered or failed. */
  sendOld(overrides?: RequestOverrides & { company?: SendingCompany }): Promise<Queued>;
}

/** Calls `fn` with a service whose media store is an empty folder. */
export async function withArchive(fn: (archive: Archive) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const store = folderStore(folder);
  try {
    await withContacts(async (t) => {
      const db = t.sql as unknown as postgres.Sql;
      await archiveAfter(db, t.company.id, 30);
      await fn({
        ...t,
        ...{ store, folder, db },
        askCompany: (method, path, body) =>
          t.http.request(method, `/manage/companies/mine${path}`, body, {
            query: { access_key: t.company.key.key },
          }),
        async run({ store: other = store, ...options } = {}) {
          await beginArchiveTurn(t.sql, null);
          await runArchive({ sql: t.sql, mediaStore: other }, options);
        },
        files: () => readArchiveFiles(t.sql, null),
        async archived() {
          const all: ArchivedRow[] = [];
          for (const file of await readArchiveFiles(t.sql, null)) {
            const open = await openArchive(store, file.company_id, file);
            for await (const rows of open.groups()) all.push(...rows);
          }
          return all;
        },
        async objects() {
          await deleteMediaLeftovers(t.services);
          return await objectsIn(folder);
        },
        sendOld: ({ company = t.company, ...overrides } = {}) => sendOld(db, company, overrides),
      });
      await assertConserved(db);
    }, { services: { mediaStore: store } });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Makes a company archive what is so old. */
export async function archiveAfter(sql: postgres.Sql, companyId: string, days: number): Promise<void> {
  await sql`
    insert into outbound.contact_rules (company_id, archive_after_days) values (${companyId}, ${days})
    on conflict (company_id) do update set archive_after_days = excluded.archive_after_days`;
}

async function objectsIn(folder: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    for await (const file of Deno.readDir(`${folder}/${name}`)) keys.push(`${name}/${file.name}`);
  }
  return keys.sort();
}

async function sendOld(
  sql: postgres.Sql,
  company: SendingCompany,
  overrides: RequestOverrides,
): Promise<Queued> {
  const { campaignId, ids } = await enqueue(sql, company, { count: 3, ...overrides });
  const left = new Set(ids);
  while (left.size > 0) {
    const claimed = await claim(sql, { limit: 1000 });
    claimed.forEach(({ id }) => left.delete(id));
    const failed = left.size === 0 ? claimed.splice(-1) : [];
    await finish(sql, claimed, { outcome: "sent" });
    await finish(sql, failed, { outcome: "failed" });
    await report(sql, claimed.map(({ id }) => eventOf(company.id, id, "delivered")));
    // The bucket of the sender.
    await fillBucket(sql, company.sender.id);
  }
  return await moveBack(sql, { campaignId, ids }, 60);
}

/** Moves a campaign and its notifications so many days back: their ids and their times. Returns their new ids. */
export async function moveBack(
  sql: postgres.Sql,
  { campaignId, ids }: Queued,
  days: number,
): Promise<Queued> {
  const by = sql`make_interval(days => ${days})`;
  return await sql.begin(async (on) => {
    const aged = (id: string) =>
      on`(left(outbound.first_id_at(now() - ${by})::text, 13) || '-7' || right(${on(id)}::text, 21))::uuid`;
    await on`alter table outbound.calls drop constraint calls_notification_fkey`;
    await on`
      update outbound.calls set notification_id = ${aged("notification_id")}, started_at = started_at - ${by}
      where notification_id = any (${ids}::uuid[])`;
    await on`
      update outbound.delivery_attempts set notification_id = ${aged("notification_id")}
      where notification_id = any (${ids}::uuid[])`;
    const rows = await on<{ id: string }[]>`
      update outbound.notification_facts set id = ${aged("id")}, campaign_id = ${aged("campaign_id")},
        created_at = created_at - ${by}, sent_at = sent_at - ${by}, delivered_at = delivered_at - ${by},
        failed_at = failed_at - ${by}
      where campaign_id = ${campaignId} returning id`;
    await on`
      alter table outbound.calls add constraint calls_notification_fkey foreign key (company_id, notification_id)
        references outbound.notification_facts (company_id, id) on delete cascade`;
    const [campaign] = await on<{ id: string }[]>`
      update outbound.campaigns set id = ${aged("id")}, created_at = created_at - ${by},
        completed_at = completed_at - ${by} where id = ${campaignId} returning id`;
    assert.equal(rows.length, ids.length);
    return { campaignId: campaign!.id, ids: rows.map(({ id }) => id) };
  });
}

/** All that the database has of messages, as text: two of them are equal if nothing was lost or changed. */
export async function storedMessages(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ row: string }[]>`
    select n::text as row from outbound.notification_facts as n
    union all select a::text from outbound.delivery_attempts as a
    union all
    select (k.company_id, k.notification_id, k.conversation_id, k.outcome, k.duration_s, k.summary, k.transcript,
      k.started_at, k.ended_at, k.checks)::text from outbound.calls as k
    order by 1`;
  return rows.map(({ row }) => row);
}
