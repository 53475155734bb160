import assert from "node:assert/strict";
import { continueUploads } from "../../../supabase/functions/_shared/campaigns/uploads/continue_uploads.ts";
import type { Services } from "../../../supabase/functions/_shared/services.ts";
import { eventually } from "../../setup/eventually.ts";
import { TEST_ENV } from "../../setup/stack/services.ts";
import { suppress } from "../../setup/fixtures/contacts.ts";
import {
  type ContactFixture,
  contactOf,
  insertAttributes,
  insertContacts,
} from "../../setup/fixtures/people.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { numberOf, type Uploads, withUploads } from "./with_uploads.ts";

const EVERYONE = { field: "first_seen_at", op: "is_set" };
const COLUMNS = { name: "name", body_text_1: "attribute.order" };

interface Audiences extends Uploads {
  /** Makes an upload to an audience and starts it; returns its id. */
  begin(changes?: JsonObject): Promise<string>;
  start(uploadId: string, query?: Record<string, string>): Promise<JsonObject>;
  show(uploadId: string): Promise<JsonObject>;
  /** Goes on with everything that was started. */
  work(): Promise<void>;
  contacts: ContactFixture[];
}

async function withAudience(count: number, fn: (t: Audiences) => Promise<void>): Promise<void> {
  await withUploads(async (t) => {
    await insertAttributes(t.sql, t.sending.id, { order: "text" });
    const contacts = Array.from(
      { length: count },
      (_, index) =>
        contactOf({
          number: numberOf(index + 1),
          name: `Ana ${index + 1}`,
          attributes: { order: `A-${index + 1}` },
        }),
    );
    await insertContacts(t.sql, t.sending.id, contacts);
    const start: Audiences["start"] = async (uploadId, query) => {
      const { status, body } = await t.ask("POST", `/uploads/${uploadId}/start`, undefined, query);
      return { status, ...body };
    };
    await fn({
      ...t,
      contacts,
      start,
      async begin(changes = {}) {
        const id = await t.create({ audience: { condition: EVERYONE }, columns: COLUMNS, ...changes });
        const started = await start(id);
        assert.equal(started.status, 200, JSON.stringify(started));
        return id;
      },
      show: async (uploadId) => (await t.ask("GET", `/uploads/${uploadId}`)).body,
      work: () => continueUploads(t.services, AbortSignal.timeout(60_000)),
    });
  });
}

async function membersLeft({ sql }: Uploads): Promise<number> {
  const [row] = await sql`select count(*)::int from outbound.upload_members`;
  return row!.count;
}

Deno.test("a campaign to a condition goes to those who met it when it was started, with the fields of the contacts", () =>
  withAudience(250, async (t) => {
    const id = await t.begin();
    await insertContacts(t.sql, t.sending.id, [contactOf({ number: numberOf(900), name: "Late" })]);
    const started = await t.show(id);
    assert.deepEqual([started.state, started.members, started.rows, started.audience], [
      ...["partial", 250, 0, { condition: EVERYONE }],
    ]);

    await t.work();

    const upload = await t.show(id);
    assert.deepEqual([upload.state, upload.rows, upload.accepted, upload.refused], [
      "completed",
      250,
      250,
      0,
    ]);
    const campaign = (await t.ask("GET", `/campaigns/${upload.campaign_id}`)).body;
    assert.deepEqual([campaign.total, campaign.open_until], [250, null]);
    const stored = await t.stored();
    assert.deepEqual(
      stored.map(({ number }) => number),
      t.contacts.map(({ addresses }) => addresses[0]!.address),
    );
    assert.deepEqual(stored[6]!.message[0]!.parameters.map(({ text }: JsonObject) => text), ["Ana 7", "A-7"]);
    assert.equal(await membersLeft(t), 0);
    assert.equal((await t.start(id)).state, "completed");
  }));

Deno.test("calls of POST /dispatch alone store a campaign to an audience", () =>
  withAudience(250, async (t) => {
    const id = await t.begin();
    const headers = { authorization: `Bearer ${TEST_ENV.OUTBOUND_DISPATCH_SECRET}` };

    await eventually(async () => {
      assert.equal((await t.http.post("/dispatch", undefined, { headers })).status, 202);
      assert.equal((await t.show(id)).state, "completed");
    });

    assert.equal((await t.stored()).length, 250);
  }));

Deno.test("the dry run of an audience says the same as its campaign", () =>
  withAudience(120, async (t) => {
    await suppress(t.sql, t.sending.id, { number: numberOf(5), category: "all" });
    await insertContacts(t.sql, t.sending.id, [
      contactOf({ name: "No number", attributes: { order: "A-0" } }),
      contactOf({ number: numberOf(500), name: "No order" }),
    ]);
    const id = await t.create({ audience: { condition: EVERYONE }, columns: COLUMNS });

    const tried = await t.start(id, { dry_run: "true" });

    const { rows, accepted, ok, invalid, skipped, duplicate } = tried;
    assert.deepEqual({ rows, accepted, ok, invalid, skipped, duplicate }, {
      ...{ rows: 122, accepted: 119, ok: 119, invalid: 2, skipped: 1, duplicate: 0 },
    });
    assert.deepEqual(tried.problems.map(({ row, column, code }: JsonObject) => [row, column, code]), [
      [5, null, "recipient_opted_out"],
      [121, "number", "number_is_missing"],
      [122, "attribute.order", "cell_is_empty"],
    ]);
    assert.deepEqual(tried.samples[0].rendered.body, "Hello Ana 1, your order A-1 is ready.");
    assert.deepEqual([(await t.show(id)).state, (await t.stored()).length], ["new", 0]);
    await t.start(id);
    await t.work();
    const upload = await t.show(id);
    assert.deepEqual([upload.rows, upload.accepted, upload.problems.length], [122, 119, 3]);
  }));

Deno.test("a person with several addresses gets one message, and none who opted out by any of them", () =>
  withAudience(0, async (t) => {
    const two = (first: number, rest: string) =>
      contactOf({
        name: "Ana",
        attributes: { order: "A-1" },
        addresses: [
          { kind: "number", address: numberOf(first) },
          { kind: "user_id", address: `ES.${first}` },
          {
            kind: "number",
            address: rest,
          },
        ],
      });
    await insertContacts(t.sql, t.sending.id, [two(1, "34700000001"), two(2, "34700000002")]);
    await suppress(t.sql, t.sending.id, { number: "34700000002", category: "all" });

    const id = await t.begin();
    await t.work();

    const { accepted, problems } = await t.show(id);
    assert.deepEqual([accepted, problems.map(({ code }: JsonObject) => code)], [1, ["recipient_opted_out"]]);
    assert.deepEqual((await t.stored()).map(({ number }) => number), [numberOf(1)]);
  }));

Deno.test("a list is sent to without the members of another, nor those of an earlier campaign by any address", () =>
  withAudience(6, async (t) => {
    const [one, two, three, four] = t.contacts;
    const listOf = async (name: string, contacts: ContactFixture[]) => {
      const { list_id } = (await t.ask("POST", "/lists", { name })).body;
      await t.ask("POST", `/lists/${list_id}/members`, { contact_ids: contacts.map(({ id }) => id) });
      return list_id;
    };
    const all = await listOf("All", t.contacts);
    const first = await t.begin({ audience: { list_id: await listOf("First", [one!, two!]) } });
    await t.work();
    const { campaign_id } = await t.show(first);
    // The person of the first campaign is known by another address since; one more was sent to by an alias.
    await t.sql`update outbound.contact_addresses set address = '34700000009' where contact_id = ${two!.id}`;
    await t.sql`
      insert into outbound.number_aliases (company_id, number, platform_number)
      values (${t.sending.id}, ${numberOf(2)}, '34700000009')`;

    const id = await t.begin({
      audience: { list_id: all, except: [{ campaign_id }, { list_id: await listOf("Three", [three!]) }] },
    });
    await t.work();

    await t.sql`update outbound.contact_lists set name = 'Another name' where id = ${all}`;
    const upload = await t.show(id);
    assert.deepEqual([upload.list_name, upload.file_name], ["All", null]);
    const stored = (await t.stored()).filter(({ campaign_id }) => campaign_id === upload.campaign_id);
    assert.deepEqual(stored.map(({ number }) => number), [4, 5, 6].map(numberOf));
    assert.equal(four!.addresses[0]!.address, numberOf(4));
  }));

Deno.test("members that are erased or merged after the start are passed over", () =>
  withAudience(120, async (t) => {
    const id = await t.begin();
    await t.sql`delete from outbound.contacts where id = any (${
      [3, 110].map((at) => t.contacts[at]!.id)
    }::uuid[])`;

    await t.work();

    const { state, accepted, problems } = await t.show(id);
    assert.deepEqual([state, accepted], ["completed", 118]);
    assert.deepEqual(problems.map(({ row, code }: JsonObject) => [row, code]), [[4, "contact_gone"], [
      111,
      "contact_gone",
    ]]);
  }));

Deno.test("a batch that is stored and not recorded counts as it was stored, those who are gone since", () =>
  withAudience(150, async (t) => {
    const id = await t.begin();
    const { acceptances } = t.services;
    const services = t.services as { -readonly [Name in keyof Services]: Services[Name] };
    services.acceptances = {
      ...acceptances,
      async add(request) {
        await acceptances.add(request);
        throw new Error("killed after the commit");
      },
    };
    await assert.rejects(t.work(), /killed/);
    services.acceptances = acceptances;
    assert.deepEqual([(await t.stored()).length, (await t.show(id)).rows], [100, 0]);
    await t.sql`delete from outbound.contacts where id = ${t.contacts[7]!.id}`;
    await t.sql`update outbound.upload_audiences set next_at = now()`;

    await t.work();

    const { state, rows, accepted, refused } = await t.show(id);
    assert.deepEqual([state, rows, accepted, refused], ["completed", 150, 150, 0]);
    assert.equal(new Set((await t.stored()).map(({ number }) => number)).size, 150);
  }));

Deno.test("a campaign that is stopped by the quota goes on with the same members when it is started again", () =>
  withAudience(250, async (t) => {
    await t.sql`update outbound.api_keys set daily_quota = 150 where company_id = ${t.sending.id}`;
    const id = await t.begin();
    await t.work();
    const stopped = await t.show(id);
    assert.deepEqual([stopped.state, stopped.accepted, stopped.stopped.code], [
      "partial",
      100,
      "quota_exceeded",
    ]);
    await t.work();
    assert.equal((await t.show(id)).accepted, 100, "waits for a start");
    await t.sql`update outbound.api_keys set daily_quota = 10000 where company_id = ${t.sending.id}`;
    await insertContacts(t.sql, t.sending.id, [contactOf({ number: numberOf(900), name: "Late" })]);

    const again = await t.start(id);
    await t.work();

    assert.deepEqual([again.state, again.stopped, again.members], ["partial", null, 250]);
    const { state, accepted } = await t.show(id);
    assert.deepEqual([state, accepted], ["completed", 250]);
  }));

Deno.test("two workers, or a start beside a worker, send nothing twice", () =>
  withAudience(1200, async (t) => {
    const id = await t.begin();
    const first = t.work();
    await t.sql`update outbound.upload_audiences set next_at = now() where next_at is not null`;

    await Promise.all([first, t.work(), t.start(id), t.work()]);
    await t.sql`
      update outbound.upload_audiences as a set next_at = now() from outbound.campaign_uploads as u
      where u.id = a.upload_id and u.completed_at is null`;
    await t.work();

    const { state, accepted } = await t.show(id);
    assert.deepEqual([state, accepted], ["completed", 1200]);
    const stored = await t.stored();
    assert.deepEqual([stored.length, new Set(stored.map(({ number }) => number)).size], [1200, 1200]);
  }));

Deno.test("an audience that cannot be sent to is refused", async (test) => {
  await withAudience(3, async (t) => {
    const none = { condition: { field: "name", op: "is", value: "No name" } };
    const refused: Record<string, [JsonObject, string]> = {
      "a list and a condition": [
        { audience: { list_id: crypto.randomUUID(), condition: EVERYONE } },
        "audience",
      ],
      "an unknown list": [{ audience: { list_id: crypto.randomUUID() } }, "condition"],
      "an unknown campaign": [
        { audience: { condition: EVERYONE, except: [{ campaign_id: crypto.randomUUID() }] } },
        "except",
      ],
      "a column that contacts lack": [{ columns: { ...COLUMNS, name: "First name" } }, "columns.name"],
      "a column for the number": [{ columns: { ...COLUMNS, number: "attribute.order" } }, "columns.number"],
      "a condition that is wrong": [
        { audience: { condition: { field: "age", op: "is", value: 1 } } },
        "audience.condition.field",
      ],
    };
    for (const [name, [changes, field]] of Object.entries(refused)) {
      await test.step(name, async () => {
        const body = t.body({ audience: { condition: EVERYONE }, columns: COLUMNS, ...changes });

        const answer = await t.ask("POST", "/uploads", body);

        assert.deepEqual(
          [answer.status, answer.body.details?.field],
          [400, field],
          JSON.stringify(answer.body),
        );
      });
    }
    const empty = await t.create({ audience: none, columns: COLUMNS });
    assert.deepEqual((await t.start(empty)).details.field, "audience");
    assert.deepEqual((await t.start(empty, { dry_run: "true" })).status, 400);
    const file = await t.create();
    assert.equal((await t.start(file)).status, 400);
    assert.equal((await t.send(empty, "Phone\r\n34600000001\r\n")).status, 400);
  });
});

Deno.test("a key needs the permission people to send to an audience", () =>
  withAudience(3, async (t) => {
    await t.sql`
      update outbound.api_keys set permissions = '{chatapp_notifications}' where company_id = ${t.sending.id}`;
    const { key } = t.sending.key;
    const body = t.body({ audience: { condition: EVERYONE }, columns: COLUMNS });

    const answer = await t.http.request("POST", "/manage/companies/mine/uploads", body, {
      headers: { authorization: `Bearer ${key}` },
    });

    assert.deepEqual([answer.status, answer.body.details.permission], [403, "people"]);
  }));
