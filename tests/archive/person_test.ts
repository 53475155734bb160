import assert from "node:assert/strict";
import { beginRestore, claimArchiveFile } from "../../supabase/functions/_shared/db/archive/archive_files.ts";
import { workOnFile } from "../../supabase/functions/_shared/archive/work_on_file.ts";
import { insertSendingCompany } from "../setup/fixtures/queue.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { type Archive, archiveAfter, withArchive } from "./with_archive.ts";

/** The first two numbers that `sendOld` writes to. */
const [NUMBER, OTHER] = ["59171000100", "59171000101"] as const;

async function addContact({ sql, company }: Archive): Promise<string> {
  const person = { name: "Ana", tags: [], attributes: {}, addresses: [{ kind: "number", address: NUMBER }] };
  const [row] = await sql`
    select contact_id as id from outbound.learn_contacts(${company.id}, ${sql.json([person])}, 'import')`;
  return row!.id;
}

async function exported({ ask }: Archive, number: string): Promise<JsonObject> {
  return (await ask("GET", "export", undefined, { number })).body;
}

/** Deletes the person of `NUMBER`, and lets a worker look at the files. */
async function erase(t: Archive): Promise<void> {
  const { status, body } = await t.ask("POST", "erase", { number: NUMBER });
  assert.deepEqual([status, body.erased.archive_files], [200, (await t.files()).length]);
}

Deno.test("an export shows the same of a message before and after it is archived, and nothing of others", () =>
  withArchive(async (t) => {
    await t.sendOld();
    const before = await exported(t, NUMBER);

    await t.run();

    assert.deepEqual(await exported(t, NUMBER), before);
    assert.equal(before.notifications.length, 1);
  }));

Deno.test("a timeline shows the same before and after, page by page, the newest first", () =>
  withArchive(async (t) => {
    const contactId = await addContact(t);
    for (let n = 0; n < 3; n++) await t.sendOld();
    const read = async (limit: number) => {
      const entries: JsonObject[] = [];
      for (let after: string | null = ""; after !== null;) {
        const { body } = await t.ask("GET", `${contactId}/timeline`, undefined, {
          limit: String(limit),
          ...after && { after },
        });
        entries.push(...body.entries);
        after = body.next;
      }
      return entries;
    };
    const before = await read(100);

    await t.run({ maxRows: 4 });

    assert.equal(before.filter(({ kind }) => kind === "notification").length, 3);
    assert.deepEqual(await read(100), before);
    assert.deepEqual(await read(1), before);
    assert.deepEqual(await read(2), before);
  }));

Deno.test("a file that cannot be read is named, and what is known otherwise is shown", () =>
  withArchive(async (t) => {
    const contactId = await addContact(t);
    await t.sendOld();
    await t.run();
    const [file] = await t.files();
    await t.store.delete(`${t.company.id}/${file!.object_id}`);

    const { body: timeline } = await t.ask("GET", `${contactId}/timeline`);
    const all = await exported(t, NUMBER);

    assert.deepEqual([timeline.unreadable_archive_files, all.unreadable_archive_files], [[file!.id], [
      file!.id,
    ]]);
    assert.deepEqual(all.notifications, []);
  }));

Deno.test("an erased person is not shown from a file any more, and soon not in it: the row and the counts stay", () =>
  withArchive(async (t) => {
    await t.sendOld();
    await t.run();
    const [{ object_id: first } = { object_id: null }] = await t.files();
    const [before] = await t.archived();

    await erase(t);
    const meanwhile = await exported(t, NUMBER);
    await t.run();

    assert.deepEqual(meanwhile.notifications, []);
    const rows = await t.archived();
    assert.deepEqual(rows.map(({ number }) => number), [null, OTHER, "59171000102"]);
    assert.deepEqual([rows[0]!.message, rows[0]!.platform_message_id], ["{}", null]);
    assert.deepEqual([rows[0]!.status, rows[0]!.sent_at], [before!.status, before!.sent_at]);
    const objects = await t.objects();
    assert.deepEqual([objects.length, objects.includes(`${t.company.id}/${first}`)], [1, false]);
    const bytes = await Deno.readTextFile(`${t.folder}/${objects[0]}`);
    assert.deepEqual([bytes.includes(NUMBER), bytes.includes(OTHER)], [false, true]);
    assert.deepEqual([...await t.sql`select from outbound.archive_erasures`], []);
    assert.equal((await exported(t, OTHER)).notifications.length, 1);
  }));

Deno.test("a person who is erased while a file is written or restored is in none of both afterwards", () =>
  withArchive(async (t) => {
    await t.sendOld();
    let isFirst = true;
    await t.run({
      store: {
        ...t.store,
        async put(key, file) {
          await t.store.put(key, file);
          if (isFirst) await t.ask("POST", "erase", { number: NUMBER });
          isFirst = false;
        },
      },
    });
    assert.deepEqual((await t.archived()).map(({ number }) => number), [null, OTHER, "59171000102"]);

    const [file] = await t.files();
    const ids = { companyId: t.company.id, fileId: file!.id };
    await beginRestore(t.sql, ids);
    const claimed = await claimArchiveFile(t.sql, ids);
    await t.ask("POST", "erase", { number: OTHER });
    await workOnFile({ sql: t.sql, mediaStore: t.store }, claimed!);

    const numbers = await t.sql`select number from outbound.notification_facts order by number`;
    assert.deepEqual(numbers.map(({ number }) => number), ["59171000102", null, null]);
    assert.deepEqual([await t.files(), await t.objects()], [[], []]);
  }));

Deno.test("what a company no longer keeps is taken out of its files too", () =>
  withArchive(async (t) => {
    await t.sendOld();
    await t.run();

    await t.sql`update outbound.contact_rules set keep_notifications_days = 90`;
    await t.run();
    const kept = (await t.archived()).map(({ number }) => number);
    await t.sql`update outbound.contact_rules set keep_notifications_days = 40`;
    await t.run();
    await t.run();

    assert.equal(kept.includes(null), false);
    assert.deepEqual((await t.archived()).map(({ number }) => number), [null, null, null]);
    const [file] = await t.files();
    assert.deepEqual([file!.people_from, file!.rows, (await t.objects()).length], [null, 3, 1]);
  }));

Deno.test("the files of a company show nothing to another one with the same number", () =>
  withArchive(async (t) => {
    const other = await insertSendingCompany(t.db);
    await archiveAfter(t.db, other.id, 30);
    await t.sendOld({ company: other });
    await t.run();

    const all = await exported(t, NUMBER);
    await t.ask("POST", "erase", { number: NUMBER });
    await t.run();

    assert.deepEqual(all.notifications, []);
    assert.equal((await t.archived()).some(({ number }) => number === NUMBER), true);
  }));
