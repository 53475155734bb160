import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { insertCompany, insertKey } from "../setup/fixtures/fixtures.ts";
import type { JsonObject, TestAnswer } from "../setup/http/http.ts";
import { type Manage, withManage } from "./with_manage.ts";

/** A company with two keys, and their requests as its owner sees them. */
interface Keys extends Manage {
  own: { id: string; key: string };
  other: { id: string; key: string };
  /** Requests templates with a key, and returns the id of the request. */
  ask(key: string): Promise<string>;
  /** Requests with a key what is known of a person, and returns the id of the request. */
  askFor(key: string, number: string): Promise<string>;
  /** Makes a request that is refused, and returns its id. */
  askInVain(key: string): Promise<string>;
  requestsOf(keyId: string, query?: string): Promise<JsonObject>;
  /** Waits until so many requests are stored. */
  stored(count: number): Promise<void>;
}

async function idOf(response: Promise<TestAnswer<JsonObject>>): Promise<string> {
  return (await response).headers.get("x-request-id")!;
}

async function withKeys(fn: (t: Keys) => Promise<void>): Promise<void> {
  await withManage(async (t) => {
    const own = await insertKey(t.sql, t.company.id, { rate_limit: 100_000 });
    const other = await insertKey(t.sql, t.company.id, {
      name: "Shop",
      permissions: ["voice_notifications"],
    });
    await fn({
      ...t,
      own,
      other,
      ask: (key) =>
        idOf(t.http.get("/notify/templates", { query: { access_key: key, phone_number: "34911222333" } })),
      askFor: (key, number) =>
        idOf(t.http.get("/manage/companies/mine/contacts/export", { query: { access_key: key, number } })),
      askInVain: (key) =>
        idOf(t.http.get("/notify/status", { query: { access_key: key, campaign_id: "none" } })),
      stored: (count) =>
        eventually(async () => assert.equal((await t.sql`select from outbound.key_requests`).length, count)),
      async requestsOf(keyId, query = "") {
        const { status, body } = await t.members.owner.ask(
          "GET",
          `/companies/${t.company.id}/keys/${keyId}/requests${query}`,
        );
        assert.equal(status, 200);
        return body;
      },
    });
  });
}

Deno.test("owners see what each key requested and what was refused, by the ids of the responses", () =>
  withKeys(async (t) => {
    const ids = [
      await t.ask(t.own.key),
      await t.askInVain(t.own.key),
      await t.askFor(t.other.key, "34600111222"),
    ];

    await t.stored(3);
    const { requests: [invalid, fine, ...more], next } = await t.requestsOf(t.own.id);
    const { requests: [missing] } = await t.requestsOf(t.other.id);

    assert.deepEqual([more, next], [[], null]);

    assert.deepEqual(
      [fine, invalid, missing].map((each) => [
        ...[each.request_id, each.method, each.path, each.status, each.code, each.stands_for],
      ]),
      [
        [ids[0], "GET", "/notify/templates", 200, null, 1],
        [ids[1], "GET", "/notify/status", 404, "not_found", 1],
        [ids[2], "GET", "/manage/companies/{company_id}/contacts/export", 403, "permission_missing", 1],
      ],
    );
    assert.ok([fine, invalid, missing].every(({ duration_ms }) => duration_ms > 0));
  }));

Deno.test("requests are found by id, status, code and path, and read page by page", () =>
  withKeys(async (t) => {
    const ids = [];
    for (let count = 0; count < 5; count++) {
      ids.push(await (count % 2 === 0 ? t.askInVain : t.ask)(t.own.key));
    }
    await t.stored(5);
    const found = async (query: string) =>
      (await t.requestsOf(t.own.id, query)).requests.map((each: JsonObject) => each.request_id).toReversed();

    assert.deepEqual(await found(`?request_id=${ids[3]}`), [ids[3]]);
    assert.deepEqual(await found("?status=200"), [ids[1], ids[3]]);
    assert.deepEqual(await found("?code=not_found"), [ids[0], ids[2], ids[4]]);
    assert.deepEqual(await found("?path=/notify&refused=true"), []);
    assert.deepEqual(await found("?refused=false"), [ids[1], ids[3]]);
    const pages = [];
    for (let after = ""; pages.length < 9;) {
      const { requests, next } = await t.requestsOf(t.own.id, `?limit=2&refused=true${after}`);
      pages.push(requests.map((each: JsonObject) => each.request_id));
      if (next === null) break;
      after = `&after=${next}`;
    }
    assert.deepEqual(pages, [[ids[4], ids[2]], [ids[0]]]);
  }));

Deno.test("no text of a key and no number of a person is in what is kept of requests", () =>
  withKeys(async (t) => {
    await t.askFor(t.own.key, "34600111222");
    await t.stored(1);

    const stored = JSON.stringify(await t.sql`select to_jsonb(r) as row from outbound.key_requests as r`);

    assert.ok(!stored.includes("34600111222"), stored);
    assert.ok(!stored.includes(t.own.key), stored);
  }));

Deno.test("requests of a key are seen by the owners of its company alone", () =>
  withKeys(async (t) => {
    const foreign = await insertKey(t.sql, (await insertCompany(t.sql)).id);
    const path = (id: string) => `/companies/${t.company.id}/keys/${id}/requests`;

    assert.equal((await t.members.owner.ask("GET", path(foreign.id))).status, 404);
    assert.equal((await t.members.operator.ask("GET", path(t.own.id))).status, 403);
    const { status } = await t.http.get(`/manage/companies/mine/keys/${t.own.id}/requests`, {
      query: { access_key: t.own.key },
    });
    assert.equal(status, 403);
  }));

/** Switches the bodies on, and lets the process learn it by a first request. */
async function withBodies(fn: (t: Keys) => Promise<void>): Promise<void> {
  await withKeys(async (t) => {
    const settings = `/companies/${t.company.id}/settings`;
    const { status, body } = await t.members.owner.ask("PUT", settings, { record_bodies: true });
    assert.deepEqual([status, body.record_bodies], [200, true]);
    await t.ask(t.own.key);
    await t.stored(1);
    await fn(t);
  });
}

/** Sends to a number in vain, and returns the request as its owner sees it once it is stored. */
async function sendTo(t: Keys, number: string): Promise<JsonObject> {
  const body = { contact: { number }, name_template: "none", access_token: "a-secret-text" };
  const id = await idOf(t.http.post("/notify", body, { query: { access_key: t.own.key } }));
  return await eventually(async () => {
    const { status, body } = await showRequest(t, id);
    assert.equal(status, 200);
    return body;
  });
}

function showRequest(t: Keys, id: string, keyId = t.own.id) {
  return t.members.owner.ask("GET", `/companies/${t.company.id}/keys/${keyId}/requests/${id}`);
}

Deno.test("bodies are kept where an owner wants it, without secrets, and the audit says so", () =>
  withBodies(async (t) => {
    const shown = await sendTo(t, "34600111222");

    assert.equal(shown.path, "/notify");
    assert.deepEqual(JSON.parse(shown.request_body), {
      contact: { number: "34600111222" },
      name_template: "none",
      access_token: "…",
    });
    assert.equal(JSON.parse(shown.response_body).code ?? shown.code, shown.code);
    assert.equal((await showRequest(t, shown.request_id, t.other.id)).status, 404);
    assert.equal((await showRequest(t, "req_none")).status, 404);
    const { body } = await t.read("/audit", { action: "company.updated", limit: "1" });
    assert.deepEqual(body.audit[0].after, { record_bodies: true });
  }));

Deno.test("no body is kept before an owner wants it, only owners switch it, and switching it off deletes them", () =>
  withKeys(async (t) => {
    const settings = `/companies/${t.company.id}/settings`;
    assert.equal((await sendTo(t, "34600111222")).request_body, null);
    assert.equal((await t.members.operator.ask("PUT", settings, { record_bodies: true })).status, 403);
    assert.equal((await t.members.owner.ask("PUT", settings, { record_bodies: true })).status, 200);
    await t.ask(t.own.key);
    await t.stored(2);
    const { request_id, request_body } = await sendTo(t, "34600111222");
    assert.notEqual(request_body, null);

    await t.members.owner.ask("PUT", settings, { record_bodies: false });

    assert.equal((await showRequest(t, request_id)).body.request_body, null);
    assert.deepEqual([...await t.sql`select from outbound.key_request_bodies`], []);
    assert.equal((await t.read("/settings")).body.record_bodies, false);
  }));

Deno.test("erasing a person deletes all bodies of the company, and keeps none of the erasure", () =>
  withBodies(async (t) => {
    const { request_id } = await sendTo(t, "34600111222");

    const erased = await t.http.post("/manage/companies/mine/contacts/erase", { number: "34600111222" }, {
      query: { access_key: t.own.key },
    });
    assert.equal(erased.status, 200, JSON.stringify(erased.body));

    assert.equal((await showRequest(t, request_id)).body.request_body, null);
    await t.stored(3);
    const stored = await t.sql`
      select to_jsonb(b) as row from outbound.key_request_bodies as b
      union all select to_jsonb(r) from outbound.key_requests as r`;
    assert.ok(!JSON.stringify(stored).includes("34600111222"));
    assert.equal((await sendTo(t, "34600333444")).request_body, null);
  }));

Deno.test("of many bodies the last thousand stay", () =>
  withBodies(async (t) => {
    await t.sql`
      with request as (
        insert into outbound.key_requests (company_id, id, api_key_id, method, path, status, duration_ms, stands_for,
          created_at)
        select ${t.company.id}, gen_random_uuid(), ${t.own.id}, 'POST', '/notify', 200, 1, 1,
          now() - interval '1 hour' + n * interval '1 second'
        from generate_series(1, 1200) as n returning company_id, id, created_at
      )
      insert into outbound.key_request_bodies (company_id, id, request, created_at)
      select company_id, id, '{}', created_at from request`;

    await sendTo(t, "34600111222");

    const [{ count, oldest }] = await t.sql`
      select count(*)::int as count, min(created_at) > now() - interval '58 minutes' as oldest
      from outbound.key_request_bodies` as [{ count: number; oldest: boolean }];
    assert.deepEqual([count, oldest], [1000, true]);
  }));
