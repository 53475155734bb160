import assert from "node:assert/strict";
import type postgres from "postgres";
import { insertSender, type SenderFixture } from "../setup/fixtures/fixtures.ts";
import { eventually } from "../setup/eventually.ts";
import { notifyBody } from "../setup/fixtures/notify_body.ts";
import { insertTenant, type TestStack, withStack } from "../setup/stack/stack.ts";
import { ANA, secondsAgo, statusOfChange } from "../webhooks/inbound.ts";
import { startCuttingProxy } from "../faults/database/cutting_proxy.ts";
import { CELL, withCell } from "./with_cell.ts";

/** All of it passes. */
const WHOLE = { up: Infinity, down: Infinity };

/** The way to a cell, which a test can cut. */
interface Way {
  /** How many connections were made. */
  connections(): number;
  /** Keeps connections without a word, or ends that. */
  silence(isSilent: boolean): void;
  /** Keeps what is sent over any connection, or passes it on. */
  standStill(isStill: boolean): void;
  /** Refuses connections from now on. */
  cut(): Promise<void>;
}

/** Calls `fn` with a cell that is reached by a way of its own. */
async function withDistantCell(
  fn: (cell: { sql: postgres.Sql; env: Record<string, string>; way: Way }) => Promise<void>,
) {
  await withCell(async ({ sql, url }) => {
    const address = new URL(url);
    let isSilent = false;
    let isCut = false;
    let connections = 0;
    const proxy = startCuttingProxy(Number(address.port), () => {
      connections++;
      return isSilent ? "silent" : WHOLE;
    });
    address.port = String(proxy.port);
    const way: Way = {
      connections: () => connections,
      silence(silent) {
        isSilent = silent;
        if (silent) proxy.disconnect();
      },
      standStill: (isStill) => isStill ? proxy.standStill("all") : proxy.goOn(),
      async cut() {
        isCut = true;
        await proxy.close();
      },
    };
    try {
      await fn({ sql, way, env: { DATABASE_URLS: `${CELL}=${address}` } });
    } finally {
      if (!isCut) await proxy.close();
    }
  });
}

Deno.test("a cell that does not answer refuses its own companies at once, until it does", () =>
  withDistantCell(({ sql, env, way }) =>
    withStack(async (t) => {
      const tenant = await insertTenant({ sql }, t.sandbox);
      const askAs = ({ key, sender }: Pick<TestStack, "key" | "sender">) =>
        t.http.get("/notify/templates", { query: { access_key: key.key, phone_number: sender.number! } });
      const ask = () => askAs(tenant);
      way.silence(true);
      assert.equal((await ask()).status, 500);
      const before = way.connections();

      const refused = await Promise.all(Array.from({ length: 200 }, ask));

      for (const { status, headers } of refused) {
        assert.deepEqual([status, headers.get("retry-after")], [500, "5"]);
      }
      const tried = way.connections() - before;
      assert.ok(tried <= 1, `${tried} connections were tried for 200 requests`);
      assert.equal((await askAs(t)).status, 200);
      way.silence(false);
      await eventually(async () => assert.equal((await ask()).status, 200));
    }, { env })
  ));

Deno.test("a cell that stands still under its open connections refuses its own companies, until it goes on; others work", () =>
  withDistantCell(({ sql, env, way }) =>
    withStack(async (t) => {
      const tenant = await insertTenant({ sql }, t.sandbox);
      const askAs = (company: Pick<TestStack, "key" | "sender" | "template">) =>
        t.http.post("/notify", notifyBody(company), { query: { access_key: company.key.key } });
      const ask = () => askAs(tenant);
      for (const each of [t.sql, sql]) await each`update outbound.api_keys set rate_limit = 1000000`;
      const open = await Promise.all(Array.from({ length: 20 }, ask));
      assert.ok(open.every(({ status }) => status === 200));
      way.standStill(true);
      let others = 0;
      let isOver = false;

      const waiting = Promise.all(Array.from({ length: 50 }, ask)).finally(() => isOver = true);
      while (!isOver) {
        assert.equal((await askAs(t)).status, 200);
        others++;
      }

      for (const { status, headers } of await waiting) {
        assert.deepEqual([status, headers.get("retry-after")], [500, "5"]);
      }
      assert.ok(others > 20, `the other cell was read ${others} times meanwhile`);
      const before = way.connections();
      const refused = await Promise.all(Array.from({ length: 200 }, ask));
      assert.ok(refused.every(({ status }) => status === 500));
      const tried = way.connections() - before;
      assert.ok(tried <= 1, `${tried} connections were tried for 200 requests`);
      way.standStill(false);
      await eventually(async () => assert.equal((await ask()).status, 200));
    }, { env })
  ));

Deno.test("what people write reaches other cells while one does not answer; the platform sends again what may be its own", () => {
  let passedMs = 0;
  const services = { now: () => new Date(Date.now() + passedMs) };
  return withDistantCell(({ sql, env, way }) =>
    withStack(async (t) => {
      const { sender } = await insertTenant({ sql }, t.sandbox);
      const later = await insertSender(t.sql, t.company.id, { waba_id: "4242" });
      const write = (to: SenderFixture) =>
        statusOfChange(t, to, {
          contacts: [{ wa_id: ANA.number }],
          messages: [{
            ...{ from: ANA.number, id: `wamid.${crypto.randomUUID()}`, timestamp: secondsAgo(0) },
            ...{ type: "text", text: { body: "Hello" } },
          }],
        });
      const received = async () => {
        const [row] = await t.sql<{ count: number }[]>`
          select count(*)::int as count from outbound.contact_messages where direction = 'in'`;
        return row!.count;
      };
      assert.deepEqual([await write(t.sender), await write(sender)], [200, 200]);
      await way.cut();
      passedMs += 10_000;

      assert.deepEqual([await write(t.sender), await received()], [200, 2], "known to be of cell 0 alone");
      assert.deepEqual([await write(sender), await received()], [500, 2], "known to be of the other");
      assert.deepEqual([await write(later), await received()], [500, 3], "perhaps of both");
    }, { env, services })
  );
});
