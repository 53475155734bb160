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
