import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { insertCompany, insertKey, insertSender } from "../setup/fixtures/fixtures.ts";
import { tickWithoutProbe } from "../setup/fixtures/queue.ts";
import type { JsonObject, TestAnswer } from "../setup/http/http.ts";
import { auditOf } from "./read_audit.ts";
import { type Manage, withManage } from "./with_manage.ts";

/** A good request for a key, changed as given. */
function keyBody(changes: JsonObject = {}): JsonObject {
  return {
    name: "Shop",
    permissions: ["chatapp_notifications"],
    rate_limit: 60,
    daily_quota: 100,
    ...changes,
  };
}

/** Requests below `…/keys`, as the company's owner. */
function asOwner(t: Manage) {
  return (method: string, path: string, body?: unknown) =>
    t.members.owner.ask(method, `/companies/${t.company.id}/keys${path}`, body);
}

/** A company whose own key leaves room for others. */
async function withKeys(
  fn: (t: Manage & { own: { id: string; key: string }; ask: ReturnType<typeof asOwner> }) => Promise<void>,
): Promise<void> {
  await withManage(async (t) => {
    const own = await insertKey(t.sql, t.company.id, { rate_limit: 300, daily_quota: 50_000 });
    await fn({ ...t, own, ask: asOwner(t) });
  });
}

async function takes({ http }: Manage, key: string): Promise<boolean> {
  return (await http.get("/notify/templates", { query: { access_key: key, phone_number: "34911222333" } }))
    .status !== 401;
}

Deno.test("a further key is shown once, and stored as a hash; POST /api_keys still shows the company's own alone", () =>
  withKeys(async (t) => {
    const { body: made } = await t.ask("POST", "/further", keyBody({ name: " Shop " }));

    assert.equal(made.name, "Shop");
    assert.ok(await takes(t, made.key));
    const { key, ...shown } = made;
    const later = [
      await t.ask("GET", "/further"),
      await t.ask("GET", `/further/${made.key_id}`),
      await t.ask("PUT", `/further/${made.key_id}`, { name: "Shop 2" }),
      await t.read("/keys"),
      await t.read("/usage"),
      await t.read("/audit"),
      await t.http.post("/api_keys", undefined, {
        headers: { authorization: `Bearer ${t.members.owner.token}` },
      }),
    ];
    for (const { status, body } of later) {
      assert.equal(status, 200);
      assert.ok(!JSON.stringify(body).includes(key));
    }
    const { last_used_at: _, last_used_address: __, ...listed } = later[0]!.body.keys[0];
    const { last_used_at: ___, last_used_address: ____, ...created } = shown;
    assert.deepEqual(listed, created);
    assert.deepEqual(later.at(-1)!.body.validApiKeys.map((each: JsonObject) => each.key), [t.own.key]);
    assert.deepEqual(await columnsWith(t, key), []);
    const [row] = await t.sql`select key_sealed from outbound.api_keys where id = ${made.key_id}`;
    assert.equal(row!.key_sealed, null);
  }));

/** The tables of the schema that hold a text anywhere. */
async function columnsWith({ sql }: Manage, text: string): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'outbound' and table_type = 'BASE TABLE'`;
  assert.ok(tables.length > 30);
  const found = await Promise.all(tables.map(async ({ name }) => {
    const rows = await sql`select 1 from ${
      sql(`outbound.${name}`)
    } as t where strpos(t::text, ${text}) > 0 limit 1`;
    return rows.length > 0 ? [name] : [];
  }));
  return found.flat();
}

Deno.test("POST and PUT …/keys/further refuse what cannot be, and say in which field", () =>
  withKeys(async (t) => {
    const foreign = await insertSender(t.sql, (await insertCompany(t.sql)).id);
    const { body: made } = await t.ask("POST", "/further", keyBody());
    const refusals: [JsonObject, string][] = [
      [{ name: "" }, "name"],
      [{ name: "x".repeat(101) }, "name"],
      [{ name: "two\nlines" }, "name"],
      [{ permissions: [] }, "permissions"],
      [{ permissions: ["everything"] }, "permissions[0]"],
      [{ rate_limit: 0 }, "rate_limit"],
      [{ daily_quota: -1 }, "daily_quota"],
      [{ sender_ids: [] }, "sender_ids"],
      [{ sender_ids: ["34911222333"] }, "sender_ids[0]"],
      [{ sender_ids: [foreign.id] }, "sender_ids[0]"],
      [{ expires_at: "2001-01-01T00:00:00Z" }, "expires_at"],
      [{ expires_at: "tomorrow" }, "expires_at"],
      [{ key_hash: "0".repeat(64) }, "key_hash"],
    ];
    for (const [changes, field] of refusals) {
      const responses = [
        await t.ask("POST", "/further", keyBody(changes)),
        await t.ask("PUT", `/further/${made.key_id}`, changes),
      ];
      for (const { status, body } of responses) {
        assert.deepEqual([status, body.details?.field], [400, field], JSON.stringify(body));
      }
    }
    for (const hours of [-1, 169, 1.5, "1"]) {
      const { status } = await t.ask("POST", `/further/${made.key_id}/rotate`, { overlap_hours: hours });
      assert.equal(status, 400);
    }
    assert.equal((await t.ask("GET", "/further")).body.keys.length, 1);
  }));

Deno.test("the limits of all keys together end at the ceilings, and a key in another's place opens no second quota", () =>
  withKeys(async (t) => {
    const all = keyBody({ daily_quota: 50_000, rate_limit: 300 });
    const { body: made } = await t.ask("POST", "/further", all);
    const over = await t.ask("POST", "/further", keyBody({ daily_quota: 1, rate_limit: 1 }));
    assert.deepEqual([over.status, over.body.details.field], [400, "rate_limit"]);
    assert.match(over.body.message, /at most 0: the other keys take 600 of 600/);
    const raised = await t.ask("PUT", `/further/${made.key_id}`, { daily_quota: 50_001 });
    assert.deepEqual([raised.status, raised.body.details.field], [400, "daily_quota"]);
    assert.equal((await t.ask("PUT", "", { daily_quota: 50_001 })).status, 400);

    await t.sql`
      insert into outbound.usage (company_id, api_key_id, day, notifications)
      values (${t.company.id}, ${made.key_id}, (now() at time zone 'UTC')::date, 30000)`;
    await t.ask("POST", `/further/${made.key_id}/revoke`);
    assert.equal((await t.ask("POST", "/further", all)).status, 400);
    assert.equal(
      (await t.ask("POST", "/further", keyBody({ daily_quota: 20_000, rate_limit: 300 }))).status,
      200,
    );
  }));

Deno.test("keys that are made at once stay within the ceilings together", () =>
  withKeys(async (t) => {
    const responses = await Promise.all(
      Array.from(
        { length: 6 },
        () => t.ask("POST", "/further", keyBody({ rate_limit: 100, daily_quota: 1 })),
      ),
    );
    assert.equal(responses.filter(({ status }) => status === 200).length, 3);
  }));

Deno.test("a rotation lets the old text pass for its hours, and counts on; the next one ends it", () =>
  withKeys(async (t) => {
    const { body: made } = await t.ask("POST", "/further", keyBody());
    const rotate = (hours: number) =>
      t.ask("POST", `/further/${made.key_id}/rotate`, { overlap_hours: hours });
    const { body: second } = await rotate(24);
    assert.equal(second.key_id, made.key_id);
    assert.deepEqual([await takes(t, made.key), await takes(t, second.key)], [true, true]);
    assert.equal((await t.ask("GET", `/further/${made.key_id}`)).body.old_expires_at, second.old_expires_at);

    const { body: third } = await rotate(1);
    assert.deepEqual([await takes(t, made.key), await takes(t, second.key), await takes(t, third.key)], [
      false,
      true,
      true,
    ]);
    const [usage] = await t
      .sql`select requests, count(*) over ()::int as rows from outbound.usage where api_key_id = ${made.key_id}`;
    assert.deepEqual({ ...usage }, { requests: 4, rows: 1 });

    await t.sql`update outbound.api_keys set old_expires_at = now() where id = ${made.key_id}`;
    assert.deepEqual([await takes(t, second.key), await takes(t, third.key)], [false, true]);
    assert.equal((await t.ask("GET", `/further/${made.key_id}`)).body.old_expires_at, null);
    const { body: fourth } = await rotate(0);
    assert.deepEqual([await takes(t, third.key), await takes(t, fourth.key)], [false, true]);
  }));

Deno.test("the company's own key rotates with an overlap too; POST /api_keys shows the new text, and revoking ends both", () =>
  withKeys(async (t) => {
    const { body: second } = await t.ask("POST", "/rotate", { overlap_hours: 168 });
    assert.deepEqual([await takes(t, t.own.key), await takes(t, second.key)], [true, true]);
    const { body } = await t.http.post("/api_keys", undefined, {
      headers: { authorization: `Bearer ${t.members.owner.token}` },
    });
    assert.deepEqual(body.validApiKeys.map((each: JsonObject) => each.key), [second.key]);

    await t.ask("POST", "/revoke");
    assert.deepEqual([await takes(t, t.own.key), await takes(t, second.key)], [false, false]);
    await t.ask("POST", "/activate");
    await eventually(async () => assert.ok(await takes(t, second.key)));
    assert.equal(await takes(t, t.own.key), false);
  }));

Deno.test("a body that may be left out is left out too by clients that always name its type", () =>
  withKeys(async (t) => {
    const headers = { authorization: `Bearer ${t.members.owner.token}`, "content-type": "application/json" };
    const rotate = (rawBody = "") =>
      t.http.post(`/manage/companies/${t.company.id}/keys/rotate`, undefined, { headers, rawBody });

    assert.equal((await rotate()).status, 200);
    assert.equal((await rotate('{"overlap_hours": 1}')).status, 200);
    assert.equal((await rotate(" ")).status, 400);
  }));

Deno.test("a further key that was revoked stays revoked, and one that has expired passes again once it ends later", () =>
  withKeys(async (t) => {
    const { body: made } = await t.ask("POST", "/further", keyBody({ expires_at: "2999-01-01T00:00:00Z" }));
    await t.sql`update outbound.api_keys set expires_at = now() where id = ${made.key_id}`;
    assert.equal(await takes(t, made.key), false);
    assert.equal((await t.ask("POST", `/further/${made.key_id}/rotate`)).status, 404);
    await t.ask("PUT", `/further/${made.key_id}`, { expires_at: null });
    await eventually(async () => assert.ok(await takes(t, made.key)));

    const revoke = () => t.ask("POST", `/further/${made.key_id}/revoke`);
    assert.deepEqual([(await revoke()).body.is_active, (await revoke()).body.is_active], [false, false]);
    assert.equal(await takes(t, made.key), false);
    const changes: TestAnswer<JsonObject>[] = [
      await t.ask("POST", `/further/${made.key_id}/rotate`),
      await t.ask("PUT", `/further/${made.key_id}`, { name: "Other" }),
    ];
    assert.deepEqual(changes.map(({ status }) => status), [404, 404]);
    assert.deepEqual((await auditOf(t)).map(({ action, subject }) => [action, subject === made.key_id]), [
      ["key.revoked", true],
      ["key.updated", true],
      ["key.created", true],
    ]);
  }));

Deno.test("the company's own key and those of other companies are no further keys", () =>
  withKeys(async (t) => {
    const foreign = await insertKey(t.sql, (await insertCompany(t.sql)).id, { name: "Theirs" });
    for (const id of [t.own.id, foreign.id, crypto.randomUUID()]) {
      const responses = [
        await t.ask("GET", `/further/${id}`),
        await t.ask("PUT", `/further/${id}`, { name: "Mine" }),
        await t.ask("POST", `/further/${id}/rotate`),
        await t.ask("POST", `/further/${id}/revoke`),
      ];
      assert.deepEqual(responses.map(({ status }) => status), [404, 404, 404, 404]);
    }
    assert.deepEqual([await takes(t, t.own.key), await takes(t, foreign.key)], [true, true]);
  }));

Deno.test("a key's last address is written once, however many requests it makes", () =>
  withKeys(async (t) => {
    const ask = (address: string) =>
      t.http.get("/notify/templates", {
        query: { access_key: t.own.key, phone_number: "34911222333" },
        headers: { "x-forwarded-for": address },
      });
    const rowOf = async () =>
      (await t.sql`select last_used_address, xmin::text from outbound.api_keys where id = ${t.own.id}`)[0]!;

    await ask("203.0.113.7");
    await eventually(async () => assert.equal((await rowOf()).last_used_address, "203.0.113.7"));
    const before = await rowOf();
    for (let count = 0; count < 20; count++) await ask(`203.0.113.${count}`);

    assert.deepEqual(await rowOf(), before);
    assert.equal((await t.read("/keys")).body.key.last_used_address, "203.0.113.7");
  }));

/** As if time had gone by until a key ends in `ends`, and its next warning is due. */
async function letItAge({ sql }: Manage, keyId: string, ends: string): Promise<void> {
  await sql`update outbound.api_keys set expires_at = now() + ${ends}::interval where id = ${keyId}`;
  await sql`update outbound.api_keys set warn_at = now() where id = ${keyId}`;
}

Deno.test("key.expiring comes a week and a day before a key ends, once each, and not for one that was revoked", () =>
  withKeys(async (t) => {
    const reported = async () => {
      await tickWithoutProbe(t.sql);
      const { body } = await t.read("/deliveries", { type: "key.expiring" });
      const events = await Promise.all(
        body.deliveries.map(({ event_id }: { event_id: string }) => t.read(`/deliveries/${event_id}`)),
      );
      return events.map((event) => JSON.parse(event.body.body).data.name).sort();
    };
    await t.members.owner.ask("PUT", `/companies/${t.company.id}/webhooks`, { url: "https://example.com/e" });
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const add = async (name: string, days: number | null): Promise<string> => {
      const expires_at = days === null ? null : inDays(days);
      const { status, body } = await t.ask("POST", "/further", keyBody({ name, expires_at }));
      assert.equal(status, 200, JSON.stringify(body));
      return body.key_id;
    };
    const [shop, revoked] = [await add("Shop", 8), await add("Revoked", 8)];
    await add("Endless", null);
    await add("Short", 0.5);
    await t.ask("POST", `/further/${revoked}/revoke`);
    const planned = await t.sql`
      select k.name, extract(day from k.expires_at - k.warn_at)::int as days from outbound.api_keys as k
      where k.company_id = ${t.company.id} and k.warn_at is not null`;
    assert.deepEqual([...planned], [{ name: "Shop", days: 7 }]);
    assert.deepEqual(await reported(), []);

    await letItAge(t, shop, "6 days 23 hours");
    assert.deepEqual(await reported(), ["Shop"]);
    assert.deepEqual(await reported(), ["Shop"]);
    await letItAge(t, shop, "23 hours");
    assert.deepEqual(await reported(), ["Shop", "Shop"]);
    assert.deepEqual(await reported(), ["Shop", "Shop"]);

    await t.ask("PUT", `/further/${shop}`, { expires_at: inDays(30) });
    const [{ days }] = await t.sql`
      select extract(day from expires_at - warn_at)::int as days from outbound.api_keys where id = ${shop}` as [
      { days: number },
    ];
    assert.equal(days, 7);
  }));
