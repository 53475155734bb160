import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { insertCompany, insertKey } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { insertPublishableKey } from "../setup/fixtures/widgets.ts";
import { auditOf } from "./read_audit.ts";
import { type Manage, withManage } from "./with_manage.ts";

function asOwner(t: Manage) {
  return (method: string, path: string, body?: unknown) =>
    t.members.owner.ask(method, `/companies/${t.company.id}/keys${path}`, body);
}

/** Whether the API takes a key. */
async function takes(t: Manage, key: string): Promise<boolean> {
  return (await t.http.get("/notify/templates", { query: { access_key: key } })).status !== 401;
}

Deno.test("GET …/keys shows the key without its text, or null", () =>
  withManage(async (t) => {
    assert.deepEqual((await t.read("/keys")).body, { key: null });
    const { id, key } = await insertKey(t.sql, t.company.id, { rate_limit: 7 });

    const { body } = await t.read("/keys");

    assert.deepEqual([body.key.key_id, body.key.rate_limit, body.key.is_active], [id, 7, true]);
    assert.doesNotMatch(JSON.stringify(body), new RegExp(`${key}|sealed|hash`));
  }));

Deno.test("POST …/keys/rotate returns the new key once and ends the old one", () =>
  withManage(async (t) => {
    const ask = asOwner(t);
    assert.equal((await ask("POST", "/rotate")).status, 404, "no key yet");
    const old = await insertKey(t.sql, t.company.id, { daily_quota: 9 });

    const { body } = await ask("POST", "/rotate");

    assert.deepEqual([await takes(t, body.key), await takes(t, old.key)], [true, false]);
    const shown = (await t.read("/keys")).body.key;
    assert.deepEqual([shown.key_id, shown.daily_quota, shown.old_expires_at], [body.key_id, 9, null]);
    const { after, ...audit } = (await auditOf(t))[0]!;
    assert.equal(after.old_expires_at.slice(0, 19), body.old_expires_at.slice(0, 19));
    assert.deepEqual(audit, {
      actor: `user:${t.members.owner.userId}`,
      action: "key.rotated",
      subject: old.id,
      before: null,
    });
  }));

Deno.test("POST …/keys/rotate five times at once leaves one key that passes", () =>
  withManage(async (t) => {
    await insertKey(t.sql, t.company.id);

    const rotated = await Promise.all(Array.from({ length: 5 }, () => asOwner(t)("POST", "/rotate")));

    const keys = rotated.flatMap(({ status, body }) => status === 200 ? [body.key as string] : []);
    const passing = await Promise.all(keys.map((key) => takes(t, key)));
    assert.equal(passing.filter(Boolean).length, 1, `${passing}`);
  }));

Deno.test("POST …/keys/rotate stores nothing where OUTBOUND_SECRETS_KEY is not the database's", () =>
  withManage(async (t) => {
    await insertKey(t.sql, t.company.id);
    await t.sql`insert into outbound.settings (name, value)
      values ('secrets_canary', to_jsonb('v2:other:00'::text))
      on conflict on constraint settings_pkey do update set value = excluded.value`;

    const { status } = await asOwner(t)("POST", "/rotate");

    assert.equal(status, 502);
    const [row] = await t.sql`select count(*)::int as count from outbound.api_keys`;
    assert.equal(row!.count, 1);
  }));

Deno.test("an owner revokes, activates and limits the key; only changes are in the audit", () =>
  withManage(async (t) => {
    const ask = asOwner(t);
    const { key } = await insertKey(t.sql, t.company.id);

    await ask("POST", "/revoke");
    const revoked = await takes(t, key);
    await ask("POST", "/revoke");
    await ask("POST", "/activate");
    const changes = { permissions: ["contacts", "contacts"], rate_limit: 5 };
    const { body } = await ask("PUT", "", changes);
    await ask("PUT", "", changes);

    assert.equal(revoked, false);
    // A refused key is refused from memory for a second.
    await eventually(async () => assert.ok(await takes(t, key)));
    assert.deepEqual([body.permissions, body.rate_limit, body.daily_quota], [["contacts"], 5, 100_000]);
    assert.deepEqual((await auditOf(t)).map(({ action, after }) => [action, after]), [
      ["key.updated", { permissions: ["contacts"], rate_limit: 5 }],
      ["key.activated", { is_active: true }],
      ["key.revoked", { is_active: false }],
    ]);
  }));

Deno.test("PUT …/keys refuses limits and permissions that cannot be", () =>
  withManage(async (t) => {
    await insertKey(t.sql, t.company.id);
    const refusals = [
      [{ permissions: [] }, "permissions"],
      [{ permissions: ["everything"] }, "permissions[0]"],
      [{ rate_limit: 0 }, "rate_limit"],
      [{ rate_limit: 2 ** 31 }, "rate_limit"],
      [{ daily_quota: -1 }, "daily_quota"],
      [{ daily_quota: "5" }, "daily_quota"],
      [{ is_active: true }, "is_active"],
    ] as const;
    for (const [body, field] of refusals) {
      const answer = await asOwner(t)("PUT", "", body);
      assert.deepEqual([answer.status, answer.body.details.field], [400, field], JSON.stringify(body));
    }
    assert.deepEqual(await auditOf(t), []);
  }));

Deno.test("publishable keys are created, listed page by page, revoked and activated", () =>
  withManage(async (t) => {
    const first = (await t.act("/keys/publishable")).body;
    const second = (await t.act("/keys/publishable")).body;
    const other = await insertCompany(t.sql);
    await insertPublishableKey(t.sql, other.id);

    const page = (await t.read("/keys/publishable", { limit: "1" })).body;
    const next = (await t.read("/keys/publishable", { limit: "1", after: page.next })).body;
    assert.deepEqual([...page.publishable_keys, ...next.publishable_keys], [second, first]);
    assert.equal((await t.read("/keys/publishable")).body.publishable_keys.length, 2);

    for (const verb of ["revoke", "revoke", "activate"]) {
      const { body } = await t.act(`/keys/publishable/${first.key_id}/${verb}`);
      assert.equal(body.is_active, verb === "activate");
    }
    const actions = (await auditOf(t, { subject: first.key_id })).map(({ action }) => action);
    assert.deepEqual(actions, ["activated", "revoked", "created"].map((verb) => `publishable_key.${verb}`));
    const [foreign] = await t.sql`select id from outbound.publishable_keys where company_id = ${other.id}`;
    assert.equal((await t.act(`/keys/publishable/${foreign!.id}/revoke`)).status, 404);
  }));

Deno.test("GET …/usage counts requests and notifications per key and day, and goes on after a rotation", () =>
  withManage(async (t) => {
    const old = await insertKey(t.sql, t.company.id);
    for (let count = 0; count < 3; count++) assert.ok(await takes(t, old.key));
    await t.sql`update outbound.usage set day = day - 1, notifications = 5 where api_key_id = ${old.id}`;
    assert.ok(await takes(t, old.key));
    const { body: rotated } = await asOwner(t)("POST", "/rotate");
    await t.sql`update outbound.usage set window_start = window_start - interval '1 hour'`;
    assert.ok(await takes(t, rotated.key));

    const { body: { usage } } = await t.read("/usage");

    assert.deepEqual(
      usage.map((
        row: JsonObject,
      ) => [row.key_id, row.is_current, row.requests, row.notifications, row.daily_quota]),
      [[old.id, true, 2, 0, 100_000], [old.id, true, 3, 5, 100_000]],
    );
    assert.equal((await t.read("/usage", { days: "1" })).body.usage.length, 1);
    for (const days of ["0", "36", "x", "1.5"]) assert.equal((await t.read("/usage", { days })).status, 400);
  }));
