import assert from "node:assert/strict";
import { connect } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { closeServer } from "../setup/http/close_server.ts";
import { dispatchAll } from "../setup/stack/dispatch_all.ts";
import {
  enqueue,
  fillBucket,
  insertSendingCompany,
  type SendingCompany,
  statusesOf,
} from "../setup/fixtures/queue.ts";
import type { Traffic } from "./count_round_trips.ts";
import { type CountedService, withCountedService } from "./with_counted_service.ts";

const COUNT = 1000;
/** On a machine that others use, results come one by one, and their batches are small: the best run counts. */
const RUNS = 3;
/**
 * About 45 in all were counted, half as many again are allowed, and what the chores do in some more seconds. Nothing
 * that is done for each notification, or for every tenth of them, fits.
 */
const MAX_TRIPS_PER_NOTIFICATION = 0.08;
const MESSAGE = [{
  type: "body",
  parameters: [{ type: "text", text: "Ana" }, { type: "text", text: "A-17" }],
}];

/** Queues notifications, runs a dispatcher until they are sent, and returns what that cost the database. */
async function send(
  { services, direct, cost }: CountedService,
  company: SendingCompany,
  count: number,
): Promise<Traffic> {
  const { ids } = await enqueue(direct, company, { count, message: MESSAGE });
  await fillBucket(direct, company.sender.id);
  const traffic = await cost(() => dispatchAll(services));
  assert.deepEqual(new Set(await statusesOf(direct, ids)), new Set(["sent"]));
  return traffic;
}

/** Calls `fn` with the URL of a platform that takes every message at once. */
async function withQuickPlatform(fn: (url: string) => Promise<void>): Promise<void> {
  let taken = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      await request.body?.cancel();
      return Response.json({ messaging_product: "whatsapp", messages: [{ id: `wamid.quick.${taken++}` }] });
    },
  );
  try {
    await fn(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    await closeServer(server);
  }
}

Deno.test("a dispatcher shares round trips among the notifications it sends", () =>
  withQuickPlatform((url) =>
    withCountedService(async (t) => {
      const company = await insertSendingCompany(t.direct);

      await send(t, company, COUNT);
      const counts: number[] = [];
      for (let run = 0; run < RUNS; run++) counts.push((await send(t, company, COUNT)).trips);

      const trips = Math.min(...counts);
      assert.ok(trips <= MAX_TRIPS_PER_NOTIFICATION * COUNT, `${trips} round trips`);
    }, { WHATSAPP_API_URL: url })
  ));

Deno.test("a dispatcher prepares all its statements", () =>
  withQuickPlatform((url) =>
    withCountedService(async (t) => {
      const company = await insertSendingCompany(t.direct);
      const sql = connect(t.env.DATABASE_URL, { max: 1 });
      const onOneConnection = { ...t, services: { ...t.services, sql } };
      try {
        await send(onOneConnection, company, 100);
        const { parses } = await send(onOneConnection, company, 100);

        assert.equal(parses, 0);
      } finally {
        await sql.end();
      }
    }, { WHATSAPP_API_URL: url })
  ));
