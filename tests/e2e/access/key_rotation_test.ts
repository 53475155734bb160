import assert from "node:assert/strict";
import { rotateKey } from "../../setup/fixtures/keys.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertKey } from "../../setup/fixtures/fixtures.ts";
import { type Api, withApi } from "../with_api.ts";
import { keyOperations } from "./key_operations.ts";

const MANY = 1_000_000;

/** Sends with a key, four requests at a time, until `stop()`. */
function startSending(api: Api, key: string) {
  const statuses: number[] = [];
  let isOver = false;
  const done = Promise.all(Array.from({ length: 4 }, async () => {
    while (!isOver) statuses.push((await api.notify({}, { query: { access_key: key } })).status);
  }));
  return {
    statuses,
    /** Waits for some requests that begin from now on. */
    async more() {
      const enough = statuses.length + 12;
      await eventually(() => assert.ok(statuses.length >= enough));
    },
    async stop() {
      isOver = true;
      await done;
      return statuses;
    },
  };
}

Deno.test("rotations with an overlap refuse no request under load, neither of the old text nor of the new", () =>
  withApi(async (api) => {
    const { company, services, sql } = api;
    await sql`update outbound.api_keys set rate_limit = ${MANY}, daily_quota = ${MANY} where id = ${api.key.id}`;
    let text = api.key.key;
    let sent = 0;
    for (let round = 0; round < 5; round++) {
      const old = startSending(api, text);
      await old.more();
      text = (await rotateKey(services, { companyId: company.id, overlapHours: 1 })).key;
      const current = startSending(api, text);
      await Promise.all([old.more(), current.more()]);
      const statuses = (await Promise.all([old.stop(), current.stop()])).flat();
      assert.deepEqual([...new Set(statuses)], [200]);
      sent += statuses.length;
    }
    const usage = await sql`select notifications from outbound.usage where company_id = ${company.id}`;
    assert.deepEqual(usage.map(({ notifications }) => notifications), [sent]);
  }));

Deno.test("a text ends on time although the facts about its key are still in memory", () =>
  withApi(async (api) => {
    const { company, services, sql } = api;
    await rotateKey(services, { companyId: company.id, overlapHours: 1 });
    const statusOf = async () => (await api.notify()).status;
    assert.deepEqual([await statusOf(), await statusOf()], [200, 200]);
    await rotateKey(services, { companyId: company.id, overlapHours: 1 });
    assert.equal(await statusOf(), 401);

    const { key } = await insertKey(sql, company.id, { name: "Shop" });
    const ask = async () => (await api.notify({}, { query: { access_key: key } })).status;
    assert.deepEqual([await ask(), await ask()], [200, 200]);
    await sql`update outbound.api_keys set expires_at = now() where name = 'Shop'`;
    assert.equal(await ask(), 401);
  }));

Deno.test("the text of before a rotation ends by the clock, although the facts about its key are still in memory", () => {
  let ahead = 0;
  return withApi(async (api) => {
    await rotateKey(api.services, { companyId: api.company.id, overlapHours: 1 });
    assert.equal((await api.notify()).status, 200);
    ahead = 3_600_000;
    await api.sql`update outbound.api_keys set old_expires_at = now()`;
    assert.equal((await api.notify()).status, 401);
  }, { services: { now: () => new Date(Date.now() + ahead) } });
});

/** Two of the contract's endpoints have another status for a key that does not pass. */
function refusedWith(name: string): number {
  if (name === "GET /notify/status") return 404;
  return name.startsWith("GET /widgetWebView") ? 403 : 401;
}

Deno.test("a key that has expired, was revoked, or was rotated away is refused by every route", () =>
  withApi(async (api) => {
    const { sql, company, services } = api;
    const ended = {
      expired: await insertKey(sql, company.id, { name: "Expired", expires_at: new Date(Date.now() - 1000) }),
      revoked: await insertKey(sql, company.id, { name: "Revoked", is_active: false }),
      rotated: api.key,
    };
    await rotateKey(services, { companyId: company.id, overlapHours: 0 });
    const operations = await keyOperations(api);
    assert.ok(operations.length > 100);
    for (const { name, ask } of operations) {
      for (const [how, { key }] of Object.entries(ended)) {
        const { status, body } = await ask(key);
        assert.equal(
          status,
          refusedWith(name),
          `${name}, ${how}: ${JSON.stringify(body)}`,
        );
      }
    }
  }));
