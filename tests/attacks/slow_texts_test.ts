import assert from "node:assert/strict";
import { percentile, printFigures } from "../faults/figures.ts";
import { withRawServer } from "../_shared/gateways/local_server.ts";
import { insertCompany, insertKey } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { insertEvents, insertWebhook } from "../setup/fixtures/webhooks.ts";
import { withServiceProcess } from "./service_process.ts";

/** Calm, hostile and ordinary texts take turns, so that what else the machine does meets all. */
const ROUNDS = 5;
const SLICE_MS = 1500;
const PAUSE_MS = 5;
/** The 99th percentile of honest requests may be this many times what it is beside ordinary texts of the same length. */
const MAX_RATIO = 2;
const EVENTS_PER_SLICE = 100;

/** The tenant who attacks, and the honest one. */
interface Attacked {
  sql: Parameters<typeof insertCompany>[0];
  baseUrl: string;
  attacker: { id: string; key: string };
  honestUrl: string;
}

Deno.test("references of tabs cost no more than their length", () =>
  withAttackedService(async (attacked) => {
    const texts = { hostile: "\t", ordinary: "x" };

    await compare("references of tabs", attacked, async (kind, until) => {
      // One beyond the length that a value may have, and one within.
      const values = [2600, 1900].map((length) => `{{${texts[kind].repeat(length)}`);
      while (Date.now() < until) {
        for (const value of values) assert.equal(await dryRun(attacked, value), 400);
        await pause();
      }
    });
  }));

Deno.test("heads of tabs that a webhook responds with cost no more than their length", () => {
  let filling = "x";
  return withRawServer(async (connection) => {
    await connection.write(
      new TextEncoder().encode(`HTTP/1.1 200 OK\r\na:${filling.repeat(8000)}\0\r\n\r\n`),
    );
    connection.close();
  }, (url) =>
    withAttackedService(async (attacked) => {
      const { sql, attacker } = attacked;
      await insertWebhook(sql, attacker.id, { url });

      await compare("heads of tabs", attacked, async (kind, until) => {
        filling = kind === "hostile" ? "\t" : "x";
        await insertEvents(sql, attacker.id, EVENTS_PER_SLICE);
        while (Date.now() < until) await pause();
      });
      const [row] = await sql<{ delivered: number }[]>`
        select count(*)::int as delivered from outbound.webhook_deliveries where error like '%is not HTTP'`;
      assert.ok(row!.delivered >= ROUNDS * EVENTS_PER_SLICE / 2, `only ${row!.delivered} deliveries`);
    }));
});

/** Calls `fn` with the service, a tenant who attacks it, and what an honest one asks for all the time. */
async function withAttackedService(fn: (attacked: Attacked) => Promise<void>): Promise<void> {
  await withPostgresDatabase(async ({ sql, url }) => {
    const [attacker, honest] = [await insertCompany(sql), await insertCompany(sql)];
    const keys = await Promise.all(
      [attacker, honest].map(({ id }) => insertKey(sql, id, { rate_limit: 1_000_000 })),
    );
    await withServiceProcess(url, ({ baseUrl }) =>
      fn({
        sql,
        baseUrl,
        attacker: { id: attacker.id, key: keys[0]!.key },
        honestUrl: `${baseUrl}/notify/templates?access_key=${keys[1]!.key}&phone_number=34600111222`,
      }));
  });
}

/** Calm: the attacker sends nothing. */
type Kind = "calm" | "ordinary" | "hostile";

/** Measures honest requests beside hostile texts, beside ordinary ones and beside nothing, in turns. */
async function compare(
  name: string,
  { honestUrl }: Attacked,
  send: (kind: Exclude<Kind, "calm">, until: number) => Promise<void>,
): Promise<void> {
  const times: Record<Kind, number[]> = { calm: [], ordinary: [], hostile: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const kind of ["calm", "ordinary", "hostile"] as const) {
      const until = Date.now() + SLICE_MS;
      const [measured] = await Promise.all([
        measure(honestUrl, until),
        kind === "calm" ? undefined : send(kind, until),
      ]);
      // The first round warms up.
      if (round > 0) times[kind].push(...measured);
    }
  }
  const [calm, ordinary, hostile] = [times.calm, times.ordinary, times.hostile].map((each) =>
    percentile(each, 0.99)
  ) as [number, number, number];
  printFigures(name, {
    "honest requests": times.hostile.length,
    "p99 calm, beside ordinary and hostile texts, ms": [calm, ordinary, hostile].map((ms) => ms.toFixed(1))
      .join(" "),
  });
  assert.ok(hostile <= MAX_RATIO * ordinary, "an honest caller noticed");
}

async function measure(url: string, until: number): Promise<number[]> {
  const times: number[] = [];
  while (Date.now() < until) {
    const start = performance.now();
    const response = await fetch(url, { headers: { "X-Forwarded-For": "198.51.100.1" } });
    await response.body?.cancel();
    assert.equal(response.status, 200);
    times.push(performance.now() - start);
    await pause();
  }
  return times;
}

async function dryRun({ baseUrl, attacker }: Attacked, value: string): Promise<number> {
  const body: JsonObject = {
    contact: { number: "34600112299" },
    name_template: "order_update",
    language_template: "en_US",
    recipient_id: "15550200200",
    notification_type: "utility",
    campaign_name: "x",
    components_push: { body_text_0: value },
  };
  const response = await fetch(`${baseUrl}/notify?dry_run=true`, {
    method: "POST",
    headers: { "Authorization": `Bearer ${attacker.key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const { details } = await response.json();
  assert.equal(details?.field, "components_push.body_text_0");
  return response.status;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
