import assert from "node:assert/strict";
import { runDispatcher } from "../../supabase/functions/_shared/dispatching/dispatcher.ts";
import { eventually } from "../setup/eventually.ts";
import { workOnFile } from "../../supabase/functions/_shared/archive/work_on_file.ts";
import { beginRestore, claimArchiveFile } from "../../supabase/functions/_shared/db/archive/archive_files.ts";
import { checkCounters } from "../../supabase/functions/_shared/db/campaigns/campaigns.ts";
import type { MediaStore } from "../../supabase/functions/_shared/gateways/media_store/media_store.ts";
import { callEventOf, enqueueCalls, insertCallingCompany } from "../setup/fixtures/calling_company.ts";
import { claim, enqueue, finish, insertSendingCompany, report } from "../setup/fixtures/queue.ts";
import { archiveAfter, moveBack, storedMessages, withArchive } from "./with_archive.ts";

Deno.test("a campaign that is over and old leaves the database for a file; its counters stay, and agree", () =>
  withArchive(async (t) => {
    const { campaignId } = await t.sendOld();
    const status = async () =>
      (await t.http.get("/notify/status", {
        query: { access_key: t.company.key.key, campaign_id: campaignId },
      })).body;
    const before = await status();

    await t.run();

    const [file, ...others] = await t.files();
    assert.equal(others.length, 0);
    assert.deepEqual([file!.state, file!.rows, file!.campaigns, file!.problem], ["archived", 3, 1, null]);
    assert.deepEqual(await t.objects(), [`${t.company.id}/${file!.object_id}`]);
    assert.deepEqual(await storedMessages(t.db), []);
    assert.deepEqual(await status(), before);
    assert.deepEqual([before.total, before.sent, before.delivered, before.failed], [3, 2, 2, 1]);
    const counters = await checkCounters(t.sql, { companyId: t.company.id, campaignId });
    assert.deepEqual(counters.filter(({ stored, actual }) => stored !== actual), []);
    const numbers = (await t.archived()).map(({ number }) => number);
    assert.deepEqual(numbers, ["59171000100", "59171000101", "59171000102"]);
  }));

Deno.test("what shows the messages of an archived campaign says since when they are archived", () =>
  withArchive(async (t) => {
    const { campaignId, ids } = await t.sendOld();
    await t.run();

    for (
      const [method, path] of [
        ["GET", "recipients"],
        ["GET", "recipients?format=csv"],
        ["GET", `recipients/${ids[0]}`],
        ["GET", "failures"],
        ["POST", "resend"],
      ] as const
    ) {
      const { status, body } = await t.askCompany(method, `/campaigns/${campaignId}/${path}`);
      assert.deepEqual([status, body.error], [409, "campaign_archived"], path);
      assert.match(body.details.archived_at, /^\d{4}-/);
    }
    const { body: details } = await t.askCompany("GET", `/campaigns/${campaignId}`);
    assert.match(details.archived_at, /^\d{4}-/);
    assert.equal((await t.askCompany("POST", `/campaigns/${campaignId}/copy`)).status, 200);
  }));

Deno.test("a restored file brings back equal rows, and leaves no file behind", () =>
  withArchive(async (t) => {
    const calling = await insertCallingCompany(t.db);
    await archiveAfter(t.db, calling.id, 30);
    const calls = await enqueueCalls(t.db, calling, { count: 1 });
    await finish(t.db, await claim(t.db), { outcome: "sent" });
    await report(t.db, [callEventOf(calling.id, calls.ids[0]!, "answered")]);
    await moveBack(t.db, calls, 60);
    const retried = await enqueue(t.db, t.company);
    await finish(t.db, await claim(t.db), { outcome: "retry", retry_in_s: 0 });
    await finish(t.db, await claim(t.db), { outcome: "sent" });
    await moveBack(t.db, retried, 60);
    await t.sendOld();
    const before = await storedMessages(t.db);

    await t.run();
    const during = await storedMessages(t.db);
    for (const { company_id: companyId, id: fileId } of await t.files()) {
      assert.equal(await beginRestore(t.sql, { companyId, fileId }), true);
      const file = await claimArchiveFile(t.sql, { fileId });
      await workOnFile({ sql: t.sql, mediaStore: t.store }, file!);
    }

    assert.deepEqual([before.length >= 6, during], [true, []]);
    assert.deepEqual(await storedMessages(t.db), before);
    assert.deepEqual([await t.files(), await t.objects()], [[], []]);
  }));

Deno.test("what is young, under way, being resent or of a company that does not archive stays", () =>
  withArchive(async (t) => {
    const other = await insertSendingCompany(t.db);
    await t.sendOld({ company: other });
    await enqueue(t.db, t.company, { count: 1 });
    const held = await t.sendOld();
    await t.sql`
      insert into outbound.resends (company_id, campaign_id, resend_of, codes)
      values (${t.company.id}, gen_random_uuid(), ${held.campaignId}, '{131026}')`;
    const before = await storedMessages(t.db);

    await t.run();

    assert.deepEqual([await storedMessages(t.db), await t.files()], [before, []]);
  }));

Deno.test("many messages take several files, and campaigns of two months take one each", () =>
  withArchive(async (t) => {
    await t.sendOld({ count: 5 });
    await moveBack(t.db, await t.sendOld(), 40);

    await t.run({ maxRows: 2 });

    const files = await t.files();
    assert.deepEqual(files.map(({ rows }) => rows), [2, 2, 1, 2, 1]);
    assert.equal(new Set(files.map(({ month }) => month)).size, 2);
    assert.deepEqual(await storedMessages(t.db), []);
    assert.equal(new Set((await t.archived()).map(({ id }) => id)).size, 8);
  }));

Deno.test("a message that changes after it was written is written again before it is deleted", () =>
  withArchive(async (t) => {
    const { ids } = await t.sendOld();
    let puts = 0;
    const store: MediaStore = {
      ...t.store,
      async put(key, file) {
        await t.store.put(key, file);
        if (++puts === 1) {
          await t.sql`update outbound.notification_facts set error_reason = 'late' where id = ${ids[0]!}`;
        }
      },
    };

    await t.run({ store });

    const reasons = (await t.archived()).filter(({ error_reason }) => error_reason === "late");
    assert.deepEqual(reasons.map(({ id }) => id), [ids[0]]);
    assert.deepEqual([puts, (await t.objects()).length], [2, 1]);
    assert.deepEqual(await storedMessages(t.db), []);
  }));

Deno.test("a file whose bytes are not those that were written deletes nothing, and says so", () =>
  withArchive(async (t) => {
    await t.sendOld();
    const before = await storedMessages(t.db);
    const damaged: MediaStore = {
      ...t.store,
      async put(key, { body, ...file }) {
        const bytes = await new Response(body).bytes();
        bytes[bytes.length >> 1]! ^= 1;
        await t.store.put(key, { ...file, body: new Blob([bytes]).stream() });
      },
    };

    await assert.rejects(t.run({ store: damaged }), /not those that were written/);

    assert.deepEqual(await storedMessages(t.db), before);
    const [file] = await t.files();
    assert.deepEqual([file!.state, file!.object_id], ["writing", null]);
    assert.match(file!.problem!, /not those that were written/);
    await t.sql`update outbound.archive_files set due_at = now()`;
    await t.run();
    assert.deepEqual([(await t.files())[0]!.problem, await storedMessages(t.db)], [null, []]);
  }));

Deno.test("a file that cannot be written keeps the archive of no other company waiting", () =>
  withArchive(async (t) => {
    await t.sendOld();
    const refusing: MediaStore = {
      ...t.store,
      async put(key, file) {
        if (key.startsWith(t.company.id)) throw new Error("No space left");
        await t.store.put(key, file);
      },
    };
    await assert.rejects(t.run({ store: refusing }), /No space left/);
    const other = await insertSendingCompany(t.db);
    await archiveAfter(t.db, other.id, 30);
    await t.sendOld({ company: other });
    await t.sql`update outbound.archive_files set due_at = now()`;

    await assert.rejects(t.run({ store: refusing }), /No space left/);

    const states = (await t.files()).map(({ company_id, state, problem }) => [company_id, state, problem]);
    assert.deepEqual(
      new Set(states.map(String)),
      new Set([
        `${t.company.id},writing,No space left`,
        `${other.id},archived,`,
      ]),
    );
  }));

Deno.test("a worker that was away for longer than its lease changes nothing any more", () =>
  withArchive(async (t) => {
    await t.sendOld();
    let isFirst = true;
    const store: MediaStore = {
      ...t.store,
      async put(key, file) {
        await t.store.put(key, file);
        if (!isFirst) return;
        isFirst = false;
        await t.sql`update outbound.archive_files set due_at = now()`;
        await t.run();
      },
    };

    await t.run({ store });

    assert.equal((await t.archived()).length, 3);
    await t.sql`update outbound.media_leftovers set due_at = now()`;
    assert.equal((await t.objects()).length, 1);
  }));

Deno.test("deleting a company deletes its files", () =>
  withArchive(async (t) => {
    await t.sendOld();
    await t.run();

    await t.sql`delete from outbound.companies where id = ${t.company.id}`;

    assert.deepEqual([await t.files(), await t.objects()], [[], []]);
  }));

Deno.test("a campaign whose messages an operator deleted is passed over, and what follows it is archived", () =>
  withArchive(async (t) => {
    const gone = await t.sendOld({ count: 5 });
    await t.sendOld();
    await t.sql`delete from outbound.delivery_attempts where notification_id = any (${gone.ids}::uuid[])`;
    await t.sql`delete from outbound.notification_facts where campaign_id = ${gone.campaignId}`;

    await t.run({ maxRows: 2 });

    assert.deepEqual([(await t.archived()).length, await storedMessages(t.db)], [3, []]);
    await t.sql`delete from outbound.campaigns where id = ${gone.campaignId}`;
  }));

Deno.test("a thousand campaigns of one message each are in one file", () =>
  withArchive(async (t) => {
    const { campaignId } = await t.sendOld({ count: 1000 });
    await t.sql`
      insert into outbound.campaigns (
        company_id, id, api_key_id, channel, name, notification_type, sender_id, template_id, total, pending, sent, delivered,
        failed, created_at, completed_at
      )
      select g.company_id, n.id, g.api_key_id, g.channel, g.name, g.notification_type, g.sender_id, g.template_id, 1, 0,
        (n.status <> 'failed')::int, (n.status <> 'failed')::int, (n.status = 'failed')::int, g.created_at, g.completed_at
      from outbound.campaigns as g join outbound.notification_facts as n on n.campaign_id = g.id
      where g.id = ${campaignId}`;
    await t.sql`update outbound.notification_facts set campaign_id = id`;
    await t.sql`delete from outbound.campaigns where id = ${campaignId}`;

    await t.run();

    assert.deepEqual((await t.files()).map(({ rows, campaigns }) => [rows, campaigns]), [[1000, 1000]]);
  }));

Deno.test("a dispatcher archives by itself", () =>
  withArchive(async (t) => {
    await t.sendOld();
    const stop = new AbortController();
    const dispatcher = runDispatcher(t.services, { signal: stop.signal });
    try {
      await eventually(async () =>
        assert.deepEqual((await t.files()).map(({ state }) => state), ["archived"])
      );
    } finally {
      stop.abort();
      await dispatcher;
    }

    assert.deepEqual(await storedMessages(t.db), []);
  }));
