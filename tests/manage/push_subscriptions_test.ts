import assert from "node:assert/strict";
import { makeVapidKeys } from "../../supabase/functions/_shared/crypto/vapid.ts";
import { pushSubscriptionBodyExample } from "../../supabase/functions/manage/my/push_subscription.ts";
import { assertRefused } from "../e2e/assert_refused.ts";
import { eventually } from "../setup/eventually.ts";
import { insertCompany, insertMember } from "../setup/fixtures/fixtures.ts";
import { type Manage, withManage } from "./with_manage.ts";

const { publicKey, privateKey } = await makeVapidKeys();
const WITH_KEYS = { env: { OUTBOUND_VAPID_PUBLIC_KEY: publicKey, OUTBOUND_VAPID_PRIVATE_KEY: privateKey } };
const BODY = pushSubscriptionBodyExample;

const pathOf = (t: Manage, companyId = t.company.id) => `/companies/${companyId}/my/push_subscriptions`;

Deno.test("a browser is stored for its member alone, once, with the keys and the language it last had", () =>
  withManage(async (t) => {
    const { operator, owner, viewer } = t.members;

    const first = await operator.ask("PUT", pathOf(t), BODY);
    const again = await operator.ask("PUT", pathOf(t), { ...BODY, language: "pt" });

    assert.deepEqual([first.status, again.status], [200, 200]);
    assert.deepEqual((await operator.ask("GET", pathOf(t))).body, {
      public_key: publicKey,
      subscriptions: [{ ...first.body, language: "pt" }],
    });
    assert.deepEqual((await owner.ask("GET", pathOf(t))).body.subscriptions, []);
    for (const method of ["GET", "PUT"]) {
      assertRefused(await viewer.ask(method, pathOf(t), method === "PUT" ? BODY : undefined), {
        status: 403,
        error: "forbidden",
      });
      assert.equal(
        (await t.stranger.ask(method, pathOf(t), method === "PUT" ? BODY : undefined)).status,
        404,
      );
    }
  }, WITH_KEYS));

Deno.test("a member removes a browser of their own, and no other's", () =>
  withManage(async (t) => {
    const { operator, owner } = t.members;
    const { subscription_id } = (await operator.ask("PUT", pathOf(t), BODY)).body;
    const path = `${pathOf(t)}/${subscription_id}`;

    await owner.ask("DELETE", path);
    assert.equal((await operator.ask("GET", pathOf(t))).body.subscriptions.length, 1);
    assert.equal((await t.stranger.ask("DELETE", path)).status, 404);

    for (const _ of [1, 2]) assert.equal((await operator.ask("DELETE", path)).body.removed, true);
    assert.deepEqual((await operator.ask("GET", pathOf(t))).body.subscriptions, []);
  }, WITH_KEYS));

Deno.test("a member has ten browsers, of which the oldest goes, and none after the membership", () =>
  withManage(async (t) => {
    const { operator } = t.members;
    const endpointOf = (n: number) => `https://push.example.com/send/${n}`;
    for (let n = 1; n <= 11; n++) {
      await operator.ask("PUT", pathOf(t), { ...BODY, endpoint: endpointOf(n) });
    }

    const { subscriptions } = (await operator.ask("GET", pathOf(t))).body;
    assert.equal(subscriptions.length, 10);
    assert.ok(!subscriptions.some(({ endpoint }: { endpoint: string }) => endpoint === endpointOf(1)));
    await t.members.owner.ask("DELETE", `/companies/${t.company.id}/members/${operator.userId}`);
    assert.equal((await t.sql`select from outbound.push_subscriptions`).length, 0);
  }, WITH_KEYS));

Deno.test("what is no browser's subscription is refused with its field, and nothing is stored", () =>
  withManage(async (t) => {
    const { keys } = BODY;
    const bodies: [field: string, body: unknown][] = [
      ["endpoint", { ...BODY, endpoint: "http://push.example.com/send/1" }],
      ["endpoint", { ...BODY, endpoint: "https://127.0.0.1/send/1" }],
      ["endpoint", { ...BODY, endpoint: "https://user:word@push.example.com/" }],
      ["endpoint", { ...BODY, endpoint: `https://push.example.com/${"x".repeat(1000)}` }],
      ["keys.p256dh", { ...BODY, keys: { ...keys, p256dh: "x" } }],
      // Of the right length, and no point of the curve.
      ["keys.p256dh", { ...BODY, keys: { ...keys, p256dh: `${keys.p256dh.slice(0, -4)}AAAA` } }],
      ["keys.auth", { ...BODY, keys: { ...keys, auth: `${keys.auth}x` } }],
      ["language", { ...BODY, language: "español" }],
      ["expirationTime", { ...BODY, expirationTime: null }],
    ];

    for (const [field, body] of bodies) {
      const answer = await t.members.operator.ask("PUT", pathOf(t), body);
      assert.deepEqual([answer.status, answer.body.details?.field], [400, field]);
    }
    assert.equal((await t.sql`select from outbound.push_subscriptions`).length, 0);
  }, WITH_KEYS));

Deno.test("without keys there is nothing to subscribe to", () =>
  withManage(async (t) => {
    const { operator } = t.members;

    assert.deepEqual((await operator.ask("GET", pathOf(t))).body, { public_key: null, subscriptions: [] });
    assertRefused(await operator.ask("PUT", pathOf(t), BODY), { status: 502, error: "service_unavailable" });
  }));

Deno.test("a new password ends a member's notifications in all companies, and no other's", () =>
  withManage(async (t) => {
    const { operator, owner } = t.members;
    const other = await insertCompany(t.sql);
    await insertMember(t.sql, other.id, operator.userId, "operator");
    await operator.ask("PUT", pathOf(t), BODY);
    await operator.ask("PUT", pathOf(t, other.id), BODY);
    await owner.ask("PUT", pathOf(t), BODY);

    const headers = { authorization: `Bearer ${operator.token}` };
    const set = await t.http.post("/auth/password", { password: "a new password of mine" }, { headers });

    assert.equal(set.status, 204);
    await eventually(async () => {
      const left = await t.sql`select user_id from outbound.push_subscriptions`;
      assert.deepEqual(left.map(({ user_id }) => user_id), [owner.userId]);
    });
  }, WITH_KEYS));
