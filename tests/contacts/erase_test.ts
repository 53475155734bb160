import assert from "node:assert/strict";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import { hashAddress, openErasureKey } from "../../supabase/functions/_shared/contacts/erasure.ts";
import { pauseCampaign } from "../../supabase/functions/_shared/db/campaigns/campaign_control.ts";
import { callEventOf, enqueueCalls, insertCallingCompany } from "../setup/fixtures/calling_company.ts";
import {
  assertConserved,
  claim,
  enqueue,
  eventOf,
  finish,
  report,
  statesOf,
} from "../setup/fixtures/queue.ts";
import { insertWebhook, readEvents } from "../setup/fixtures/webhooks.ts";
import {
  ALIAS,
  insertKnownPerson,
  insertMessage,
  insertVisitor,
  NUMBER,
  OTHER,
  PERSONAL_TABLES,
  USER_ID,
} from "./known_person.ts";
import { type Contacts, countRows, minutesFromNow, suppress, withContacts } from "./with_contacts.ts";

const NOTHING = {
  notifications: 0,
  skipped: 0,
  failed: 0,
  calls: 0,
  messages: 0,
  suppressions: 0,
  contacts: 0,
  archive_files: 0,
};

/** Everything that the database holds about companies, as text. */
async function everything({ sql }: Pick<Contacts, "sql">): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select c.relname as name from pg_class as c join pg_attribute as a on a.attrelid = c.oid
    where c.relnamespace = 'outbound'::regnamespace and c.relkind = 'r' and a.attname = 'company_id'`;
  const rows = await Promise.all(
    tables.map(({ name }) => sql`select to_jsonb(t) as row from ${sql(`outbound.${name}`)} as t`),
  );
  return JSON.stringify(rows);
}

Deno.test("POST …/contacts/erase leaves nothing of the person in the database, and everything of others", () =>
  withContacts(async (t) => {
    await insertWebhook(t.sql, t.company.id);
    await insertKnownPerson(t);
    // The platform's reports are kept for 8 days, which docs/consent.md says.
    await t.sql`delete from outbound.platform_events`;
    const own = await t.ask("GET", "export", undefined, { number: OTHER });
    assert.ok((await everything(t)).includes(NUMBER));

    const { status, body } = await t.ask("POST", "erase", { user_id: USER_ID });

    assert.equal(status, 200);
    const { events, ...erased } = body.erased;
    assert.deepEqual(erased, {
      ...NOTHING,
      notifications: 1,
      messages: 2,
      suppressions: 2,
      consents: 3,
      user_ids: 1,
      contacts: 1,
      archive_files: 0,
    });
    assert.ok(events >= 3, `${events} events`);
    const left = await everything(t);
    for (
      const secret of [
        NUMBER,
        ALIAS,
        USER_ID,
        "@ana",
        "And thank you",
        "Ana Ruiz",
        "ana@acme.test",
        "is angry",
      ]
    ) {
      assert.ok(!left.includes(secret), secret);
    }
    assert.deepEqual((await t.ask("GET", "export", undefined, { number: OTHER })).body, own.body);
    assert.ok((await readEvents(t.sql, t.company.id)).length > 0, "the events of others stay");
    await assertConserved(t.sql);
  }));

Deno.test("POST …/contacts/erase takes a contact_id, and leaves nothing of a person without number and user id", () =>
  withContacts(async (t) => {
    await insertWebhook(t.sql, t.company.id);
    await insertKnownPerson(t);
    const ana = await t.ask("GET", "export", undefined, { number: NUMBER });
    const { contactId, chatId } = await insertVisitor(t);
    const secrets = ["Eva", "eva@acme.test", "eva-tag", "customer-4711", contactId, chatId];
    const before = await everything(t);
    for (const secret of secrets) assert.ok(before.includes(secret), secret);

    const { status, body } = await t.ask("POST", "erase", { contact_id: contactId });

    assert.equal(status, 200, JSON.stringify(body));
    const { events, ...erased } = body.erased;
    assert.deepEqual(erased, { ...NOTHING, consents: 0, user_ids: 0, contacts: 1 });
    assert.equal(events, 3);
    const left = await everything(t);
    for (const secret of secrets) assert.ok(!left.includes(secret), secret);
    assert.deepEqual((await t.ask("GET", "export", undefined, { number: NUMBER })).body, ana.body);
    for (const again of [contactId, crypto.randomUUID()]) {
      const { status, body } = await t.ask("POST", "erase", { contact_id: again });
      assert.deepEqual([status, body.error], [404, "not_found"]);
    }
    const audit = await t.sql`select 1 from outbound.audit_log where action = 'contact.erased'`;
    assert.equal(audit.length, 1);
  }));

Deno.test("POST …/contacts/erase by a contact_id is the same as by the contact's number", () =>
  withContacts(async (t) => {
    await insertKnownPerson(t);
    const { body: { contact: { contact_id } } } = await t.ask("GET", "person", undefined, { number: NUMBER });

    const { body } = await t.ask("POST", "erase", { contact_id });

    const { notifications, messages, suppressions, consents, user_ids, contacts } = body.erased;
    assert.deepEqual([notifications, messages, suppressions, consents, user_ids, contacts], [
      1,
      2,
      2,
      3,
      1,
      1,
    ]);
    const left = await countRows(t.sql, t.company.id, ["erased_contacts"]);
    assert.equal(left.erased_contacts, 3, "the number, its alias and the user id");
  }));

Deno.test("POST …/contacts/erase names one person, by addresses or by the contact", () =>
  withContacts(async (t) => {
    const { contactId } = await insertVisitor(t);
    for (
      const [body, field] of [[{}, "number"], [{ contact_id: null }, "number"], [
        { contact_id: contactId, number: NUMBER },
        "contact_id",
      ], [{ contact_id: "x" }, "contact_id"]] as const
    ) {
      const refused = await t.ask("POST", "erase", body);
      assert.deepEqual([refused.status, refused.body.details?.field], [400, field]);
    }
    const other = await insertCallingCompany(t.sql);
    const foreign = await t.http.post("/manage/companies/mine/contacts/erase", { contact_id: contactId }, {
      query: { access_key: other.key.key },
    });
    assert.equal(foreign.status, 404);
  }));

/** States of a person's notification, how they are reached, and what erasing makes of them. */
const STATES: [
  status: string,
  reach: (t: Contacts, campaignId: string, id: string) => unknown,
  becomes: string,
][] = [
  ["queued", () => {}, "skipped"],
  ["scheduled", () => {}, "skipped"],
  [
    "queued",
    (t, campaignId) => pauseCampaign(t.sql, { companyId: t.company.id, campaignId }, CLI),
    "skipped",
  ],
  [
    "queued",
    async (t) => await finish(t.sql, await claim(t.sql), { outcome: "retry", retry_in_s: 60 }),
    "skipped",
  ],
  ["unconfirmed", async (t) => await finish(t.sql, await claim(t.sql), { outcome: "unknown" }), "failed"],
  ["sent", async (t) => await finish(t.sql, await claim(t.sql), { outcome: "sent" }), "sent"],
  ["failed", async (t) => await finish(t.sql, await claim(t.sql), { outcome: "failed" }), "failed"],
  ["read", async (t, _, id) => {
    await finish(t.sql, await claim(t.sql), { outcome: "sent" });
    await report(t.sql, [eventOf(t.company.id, id, "read")]);
  }, "read"],
];

Deno.test("POST …/contacts/erase ends what still waits and keeps what happened, and the counters agree", async (test) => {
  for (const [status, reach, becomes] of STATES) {
    await test.step(`${status} ${reach === STATES[2]![1] ? "and paused " : ""}becomes ${becomes}`, () =>
      withContacts(async (t) => {
        const { campaignId, ids } = await enqueue(
          t.sql,
          t.company,
          status === "scheduled" ? { dueInS: 60 } : {},
        );
        await reach(t, campaignId, ids[0]!);
        assert.equal((await statesOf(t.sql, ids))[0]!.status, status);

        const { body } = await t.ask("POST", "erase", { number: NUMBER });

        const [row] = await t.sql`
          select status, number, user_id, message::text, platform_message_id, error_code from outbound.notifications`;
        const { status: is, error_code: code, ...rest } = row!;
        assert.equal(is, becomes);
        if (becomes === "skipped") assert.equal(code, "erased");
        if (status === "unconfirmed") assert.equal(code, "outcome_unknown");
        assert.deepEqual(rest, { number: null, user_id: null, message: "{}", platform_message_id: null });
        assert.deepEqual(
          [body.erased.notifications, body.erased.skipped, body.erased.failed],
          [1, becomes === "skipped" ? 1 : 0, status === "unconfirmed" ? 1 : 0],
        );
        const [campaign] = await t.sql`
          select pending, processing, completed_at is not null as done from outbound.campaigns`;
        assert.deepEqual({ ...campaign }, { pending: 0, processing: 0, done: true });
        await assertConserved(t.sql);
      }));
  }
});

/** Reasons why a person cannot be erased right now. */
const ON_ITS_WAY: [name: string, begin: (t: Contacts) => Promise<{ key?: string }>][] = [
  ["a message is being sent", async (t) => {
    await enqueue(t.sql, t.company);
    await claim(t.sql);
    return {};
  }],
  ["a reply is being sent", async (t) => {
    const sending = { direction: "out", status: "sending", worker: "w", lease_until: minutesFromNow(1) };
    await insertMessage(t, sending);
    return {};
  }],
  ["a call is going on", async ({ sql }) => {
    const company = await insertCallingCompany(sql);
    await enqueueCalls(sql, company, { numbers: [NUMBER] });
    await finish(sql, await claim(sql), { outcome: "sent" });
    return { key: company.key.key };
  }],
];

Deno.test("POST …/contacts/erase changes nothing while something is on its way to the person", async (test) => {
  for (const [name, begin] of ON_ITS_WAY) {
    await test.step(name, () =>
      withContacts(async (t) => {
        const { key = t.company.key.key } = await begin(t);
        await suppress(t, { number: NUMBER });
        const before = await t.sql`select * from outbound.notifications, outbound.suppressions`;

        const query = { access_key: key };
        const response = await t.http.post("/manage/companies/mine/contacts/erase", { number: NUMBER }, {
          query,
        });

        assert.deepEqual([response.status, response.body.error], [409, "message_on_its_way"]);
        assert.ok(response.body.retry_after > 0);
        assert.equal(response.headers.get("retry-after"), String(response.body.retry_after));
        assert.deepEqual(await t.sql`select * from outbound.notifications, outbound.suppressions`, before);
        assert.deepEqual(await countRows(t.sql, t.company.id, ["audit_log", "erased_contacts"]), {
          audit_log: 0,
          erased_contacts: 0,
        });
      }));
  }
});

Deno.test("an erased person stays suppressed by hashes, with a key that OUTBOUND_SECRETS_KEY seals", () =>
  withContacts(async (t) => {
    const { sql, company, services: { sealer } } = t;
    await sql`select outbound.link_user_id(${company.id}, ${USER_ID}, ${NUMBER}, null, now())`;

    await t.ask("POST", "erase", { number: NUMBER });

    const [rules] = await sql`select erasure_key_sealed as sealed from outbound.contact_rules`;
    const key = await openErasureKey(sealer, { companyId: company.id, sealed: rules!.sealed });
    const hashes = await sql`select address_hash from outbound.erased_contacts order by 1`;
    assert.deepEqual(
      hashes.map((row) => row.address_hash),
      [NUMBER, USER_ID].map((address) => hashAddress(key, address)).sort(),
    );
    assert.equal(key.bytes.length, 32);
    await assert.rejects(openErasureKey(sealer, { companyId: crypto.randomUUID(), sealed: rules!.sealed }));
  }));

Deno.test("POST …/contacts/erase may be repeated, and keeps the company's key", () =>
  withContacts(async (t) => {
    await insertKnownPerson(t);

    await t.ask("POST", "erase", { number: NUMBER });
    const before = await t
      .sql`select erasure_key_sealed, address_hash from outbound.contact_rules, outbound.erased_contacts`;
    const again = await t.ask("POST", "erase", { number: NUMBER });

    assert.equal(again.status, 200);
    assert.deepEqual(again.body.erased, { ...NOTHING, consents: 0, user_ids: 0, events: 0 });
    const after = await t
      .sql`select erasure_key_sealed, address_hash from outbound.contact_rules, outbound.erased_contacts`;
    assert.deepEqual(
      after.map((row) => row.address_hash).sort(),
      before.map((row) => row.address_hash).sort(),
    );
    assert.equal(after[0]!.erasure_key_sealed, before[0]!.erasure_key_sealed);
  }));

Deno.test("a consent of a later time ends the suppression of an erased person; an earlier one does not", () =>
  withContacts(async (t) => {
    await t.ask("POST", "erase", { number: NUMBER });
    const consent = (changes: Record<string, unknown>) =>
      t.ask("POST", "consents", {
        consents: [{
          number: NUMBER,
          channel: "any",
          status: "granted",
          method: "website",
          consented_at: minutesFromNow(0.5),
          ...changes,
        }],
      });
    const hashes = async () => (await countRows(t.sql, t.company.id, ["erased_contacts"])).erased_contacts;

    await consent({ consented_at: minutesFromNow(-5) });
    await consent({ number: OTHER });
    await consent({ status: "withdrawn" });
    assert.equal(await hashes(), 1);
    await consent({});
    assert.equal(await hashes(), 0);
  }));

Deno.test("erasing is in the company's audit, without the person", () =>
  withContacts(async (t) => {
    await suppress(t, { number: NUMBER });

    const { headers } = await t.ask("POST", "erase", { number: NUMBER });

    const [entry, ...others] = await t.sql`
      select actor, action, subject, after, request_id from outbound.audit_log`;
    assert.deepEqual(others, []);
    assert.deepEqual([entry!.actor, entry!.action, entry!.subject, entry!.request_id], [
      `key:${t.company.key.id}`,
      "contact.erased",
      null,
      headers.get("x-request-id"),
    ]);
    assert.equal(entry!.after.suppressions, 1);
  }));

Deno.test("what the platform reports about an erased person's messages later moves their state and names no person", () =>
  withContacts(async (t) => {
    const { ids } = await enqueue(t.sql, t.company);
    await finish(t.sql, await claim(t.sql), { outcome: "sent" });
    await t.ask("POST", "erase", { number: NUMBER });

    await report(t.sql, [eventOf(t.company.id, ids[0]!, "read")]);

    const [row] = await t.sql`select status, number, platform_message_id as id from outbound.notifications`;
    assert.deepEqual({ ...row }, { status: "read", number: null, id: null });
    await assertConserved(t.sql);
  }));

Deno.test("what was said in a call is erased, and is not stored when it is reported later", () =>
  withContacts(async ({ sql, http }) => {
    const company = await insertCallingCompany(sql);
    const { ids } = await enqueueCalls(sql, company, { numbers: [NUMBER] });
    await finish(sql, await claim(sql), { outcome: "sent" });
    await report(sql, [callEventOf(company.id, ids[0]!, "answered")]);

    const query = { access_key: company.key.key };
    const { body } = await http.post("/manage/companies/mine/contacts/erase", { number: NUMBER }, { query });
    const late = callEventOf(company.id, ids[0]!, "answered");
    await report(sql, [{ ...late, dedupe_key: "late" }]);

    assert.equal(body.erased.calls, 1);
    const [call] = await sql`select outcome, transcript, summary from outbound.calls`;
    assert.deepEqual({ ...call }, { outcome: "answered", transcript: null, summary: null });
  }));

Deno.test("the same person at another company is not erased", () =>
  withContacts(async (t) => {
    await insertKnownPerson(t);
    const before = await countRows(t.sql, t.company.id, PERSONAL_TABLES);
    const other = await insertCallingCompany(t.sql);

    const query = { access_key: other.key.key };
    const { body } = await t.http.post("/manage/companies/mine/contacts/erase", { number: NUMBER }, {
      query,
    });

    assert.deepEqual(body.erased, { ...NOTHING, consents: 0, user_ids: 0, events: 0 });
    assert.deepEqual(await countRows(t.sql, t.company.id, PERSONAL_TABLES), before);
  }));
