import assert from "node:assert/strict";
import type postgres from "postgres";
import { insertSender, type SenderFixture } from "../setup/fixtures/fixtures.ts";
import { eventually } from "../setup/eventually.ts";
import { insertTenant, type TestStack, withStack } from "../setup/stack/stack.ts";
import { ANA, secondsAgo, statusOfChange } from "../webhooks/inbound.ts";
import { CELL, withCell } from "./with_cell.ts";

/** Passes connections on to a server, or keeps them without a word, as a network does that lost its way. */
function startSwitch(target: number) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  let isSilent = false;
  let isClosed = false;
  let accepted = 0;
  const serve = async (client: Deno.Conn) => {
    open.add(client);
    accepted++;
    if (isSilent) return;
    const server = await Deno.connect({ hostname: "127.0.0.1", port: target });
    open.add(server);
    const ends = [client.readable.pipeTo(server.writable), server.readable.pipeTo(client.writable)];
    await Promise.allSettled(ends);
    [client, server].forEach(close);
  };
  const close = (end: Deno.Conn) => {
    open.delete(end);
    try {
      end.close();
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error; // its stream has closed it
    }
  };
  const accepting = (async () => {
    for await (const client of listener) void serve(client);
  })();
  return {
    port: listener.addr.port,
    accepted: () => accepted,
    set(silent: boolean) {
      isSilent = silent;
      if (silent) open.forEach(close);
    },
    /** From now on connections are refused. */
    async close() {
      if (isClosed) return;
      isClosed = true;
      listener.close();
      await accepting;
      open.forEach(close);
    },
  };
}

/** Calls `fn` with a cell behind a switch. */
async function withSwitchedCell(
  fn: (
    cell: { sql: postgres.Sql; env: Record<string, string>; way: ReturnType<typeof startSwitch> },
  ) => Promise<void>,
) {
  await withCell(async ({ sql, url }) => {
    const address = new URL(url);
    const way = startSwitch(Number(address.port));
    address.port = String(way.port);
    try {
      await fn({ sql, way, env: { DATABASE_URLS: `${CELL}=${address}` } });
    } finally {
      await way.close();
    }
  });
}

Deno.test("a cell that does not answer refuses its own companies at once, until it does", () =>
  withSwitchedCell(({ sql, env, way }) =>
    withStack(async (t) => {
      const tenant = await insertTenant({ sql }, t.sandbox);
      const askAs = ({ key, sender }: Pick<TestStack, "key" | "sender">) =>
        t.http.get("/notify/templates", { query: { access_key: key.key, phone_number: sender.number! } });
      const ask = () => askAs(tenant);
      way.set(true);
      assert.equal((await ask()).status, 500);
      const before = way.accepted();

      const refused = await Promise.all(Array.from({ length: 200 }, ask));

      for (const { status, headers } of refused) {
        assert.deepEqual([status, headers.get("retry-after")], [500, "5"]);
      }
      const tried = way.accepted() - before;
      assert.ok(tried <= 1, `${tried} connections were tried for 200 requests`);
      assert.equal((await askAs(t)).status, 200);
      way.set(false);
      await eventually(async () => assert.equal((await ask()).status, 200));
    }, { env })
  ));

Deno.test("what people write reaches other cells while one does not answer; the platform sends again what may be its own", () => {
  let passedMs = 0;
  const services = { now: () => new Date(Date.now() + passedMs) };
  return withSwitchedCell(({ sql, env, way }) =>
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
      await way.close();
      passedMs += 10_000;

      assert.deepEqual([await write(t.sender), await received()], [200, 2], "known to be of cell 0 alone");
      assert.deepEqual([await write(sender), await received()], [500, 2], "known to be of the other");
      assert.deepEqual([await write(later), await received()], [500, 3], "perhaps of both");
    }, { env, services })
  );
});
