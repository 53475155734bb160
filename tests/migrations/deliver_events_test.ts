import assert from "node:assert/strict";
import type postgres from "postgres";
import { OWN_ENDPOINT } from "../../supabase/functions/_shared/db/webhooks/webhooks.ts";
import {
  claimDeliveries,
  type ClaimedDelivery,
  type DeliveryClaim,
  finishDeliveries,
  type FinishedDelivery,
} from "../../supabase/functions/_shared/db/webhooks/webhooks.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertCompany } from "../setup/fixtures/fixtures.ts";
import {
  insertEvents,
  insertWebhook,
  readDeliveries,
  type WebhookOverrides,
} from "../setup/fixtures/webhooks.ts";

async function insertCompanyWithEvents(
  sql: postgres.Sql,
  events: number,
  webhook: WebhookOverrides = {},
): Promise<string> {
  const { id } = await insertCompany(sql);
  await insertWebhook(sql, id, webhook);
  await insertEvents(sql, id, events);
  return id;
}

function claim(sql: postgres.Sql, options: Partial<DeliveryClaim> = {}): Promise<ClaimedDelivery[]> {
  return claimDeliveries(sql, { worker: "w", limit: 100, maxFailing: 100, leaseS: 60, ...options });
}

function countOf(claimed: ClaimedDelivery[], companyId: string): number {
  return claimed.filter(({ company_id }) => company_id === companyId).length;
}

function finished(delivery: ClaimedDelivery, overrides: Partial<FinishedDelivery> = {}): FinishedDelivery {
  const { company_id, event_id, attempt } = delivery;
  return {
    company_id,
    event_id,
    attempt,
    outcome: "failed",
    request_headers: null,
    response_status: 500,
    response_body: "",
    error: "no",
    duration_ms: 1,
    retry_in_s: 60,
    gone: false,
    ...overrides,
  };
}

Deno.test("claim_deliveries() gives each endpoint sixteen at a time, and one in trouble one", () =>
  withTestDatabase(async ({ sql }) => {
    const well = await insertCompanyWithEvents(sql, 20);
    const failing = await insertCompanyWithEvents(sql, 20, { failures: 3 });
    const few = await insertCompanyWithEvents(sql, 2);

    const first = await claim(sql);
    const second = await claim(sql, { worker: "another" });

    assert.deepEqual([well, failing, few].map((id) => countOf(first, id)), [16, 1, 2]);
    assert.equal(second.length, 0);
    assert.deepEqual(first.map(({ is_failing }) => is_failing).filter(Boolean).length, 1);
  }));

Deno.test("claim_deliveries() has companies take turns, those in trouble last", () =>
  withTestDatabase(async ({ sql }) => {
    const failing = await insertCompanyWithEvents(sql, 5, { failures: 9 });
    const ids = [await insertCompanyWithEvents(sql, 50), await insertCompanyWithEvents(sql, 50)];
    const late = await insertCompanyWithEvents(sql, 1);

    const claimed = await claim(sql, { limit: 5 });

    assert.deepEqual(ids.map((id) => countOf(claimed, id)), [2, 2]);
    assert.deepEqual([countOf(claimed, late), countOf(claimed, failing)], [1, 0]);
  }));

Deno.test("claim_deliveries() leaves room for others when many endpoints are in trouble", () =>
  withTestDatabase(async ({ sql }) => {
    for (let n = 0; n < 6; n++) await insertCompanyWithEvents(sql, 1, { failures: 3 });

    const claimed = await claim(sql, { limit: 5, maxFailing: 2 });

    assert.equal(claimed.length, 2);
  }));

Deno.test("claim_deliveries() takes nothing of a webhook that is off, nothing that is not due, nothing held", () =>
  withTestDatabase(async ({ sql }) => {
    await insertCompanyWithEvents(sql, 1, { is_active: false });
    const waiting = await insertCompanyWithEvents(sql, 1);
    await sql`update outbound.webhook_deliveries set run_at = now() + interval '1 minute'
      where company_id = ${waiting}`;
    const due = await insertCompanyWithEvents(sql, 1);

    const first = await claim(sql);
    const again = await claim(sql);

    assert.deepEqual([first.map(({ company_id }) => company_id), again.length], [[due], 0]);
  }));

Deno.test("finish_deliveries() counts failures in a row, and a success ends them", () =>
  withTestDatabase(async ({ sql }) => {
    const id = await insertCompanyWithEvents(sql, 5);
    const claimed = await claim(sql);
    const failures = async () =>
      (await sql`select failures from outbound.webhooks where company_id = ${id}`)[0]?.failures;

    await finishDeliveries(sql, { worker: "w", results: claimed.slice(0, 3).map((each) => finished(each)) });
    const after = await failures();
    const success = finished(claimed[3]!, { outcome: "succeeded", retry_in_s: null, error: null });
    const written = await finishDeliveries(sql, { worker: "w", results: [success, finished(claimed[4]!)] });

    assert.deepEqual([after, await failures(), written], [3, 0, 2]);
  }));

Deno.test("finish_deliveries() by another worker, or a second time, changes nothing", () =>
  withTestDatabase(async ({ sql }) => {
    const id = await insertCompanyWithEvents(sql, 1);
    const results = (await claim(sql)).map((each) => finished(each));

    const counts = [
      await finishDeliveries(sql, { worker: "another", results }),
      await finishDeliveries(sql, { worker: "w", results }),
      await finishDeliveries(sql, { worker: "w", results }),
    ];

    assert.deepEqual(counts, [0, 1, 0]);
    assert.deepEqual((await readDeliveries(sql, id)).map(({ status }) => status), ["failed", "pending"]);
  }));

Deno.test("stop_endpoint() fails what waits; a delivery under way ends with its own result and without a next attempt", () =>
  withTestDatabase(async ({ sql }) => {
    const id = await insertCompanyWithEvents(sql, 10);
    const [held] = await claim(sql, { limit: 1 });

    await sql`select outbound.stop_endpoint(${id}, ${OWN_ENDPOINT}, null)`;
    await finishDeliveries(sql, { worker: "w", results: [finished(held!)] });

    const attempts = await readDeliveries(sql, id);
    assert.deepEqual(attempts.map(({ status }) => status), Array(10).fill("failed"));
    const errors = attempts.map(({ error }) => error).sort();
    assert.deepEqual(errors, [...Array(9).fill("The webhook was switched off"), "no"]);
  }));

Deno.test("replay_endpoint() starts an event anew, whatever became of it, with its own id", () =>
  withTestDatabase(async ({ sql }) => {
    const id = await insertCompanyWithEvents(sql, 2);
    const claimed = await claim(sql);
    const success = { outcome: "succeeded", retry_in_s: null } as const;
    await finishDeliveries(sql, { worker: "w", results: claimed.map((each) => finished(each, success)) });

    const [row] = await sql`select outbound.replay_endpoint(${id}, ${OWN_ENDPOINT}, ${
      claimed[0]!.event_id
    }, null) as replayed`;
    const again = await claim(sql);

    assert.equal(row?.replayed, 1);
    assert.deepEqual(
      again.map(({ event_id, attempt, attempt_since_replay: number }) => [event_id, attempt, number]),
      [
        [claimed[0]!.event_id, 2, 1],
      ],
    );
  }));

Deno.test("replay_endpoint() brings back what failed since a time, hurries what waits, and touches no other company", () =>
  withTestDatabase(async ({ sql }) => {
    const [id, other] = [await insertCompanyWithEvents(sql, 4), await insertCompanyWithEvents(sql, 1)];
    const claimed = await claim(sql);
    const [success, waiting, failed, old, foreign] = [
      ...claimed.filter(({ company_id }) => company_id === id),
      claimed.find(({ company_id }) => company_id === other)!,
    ] as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery, ClaimedDelivery, ClaimedDelivery];
    await finishDeliveries(sql, {
      worker: "w",
      results: [
        finished(success, { outcome: "succeeded", retry_in_s: null }),
        finished(waiting),
        ...[failed, old, foreign].map((each) => finished(each, { retry_in_s: null })),
      ],
    });
    await sql`update outbound.outgoing_events set created_at = now() - interval '2 days' where id = ${old.event_id}`;

    const [row] =
      await sql`select outbound.replay_endpoint(${id}, ${OWN_ENDPOINT}, null, now() - interval '1 day') as replayed`;

    // Three failures in a row have put the endpoint in trouble: it gets one at a time.
    await sql`update outbound.webhooks set failures = 0`;
    const again = await claim(sql);
    assert.equal(row?.replayed, 2);
    assert.deepEqual(
      again.map(({ event_id }) => event_id).sort(),
      [waiting.event_id, failed.event_id].sort(),
    );
  }));

Deno.test("clean_up() forgets events and their deliveries after thirty days", () =>
  withTestDatabase(async ({ sql }) => {
    const id = await insertCompanyWithEvents(sql, 3);
    await sql`update outbound.outgoing_events set created_at = now() - interval '31 days'
      where id in (select id from outbound.outgoing_events limit 2)`;

    const [row] = await sql`select outbound.clean_up() as cleaned`;

    assert.equal(row?.cleaned.outgoing_events, 2);
    assert.equal((await readDeliveries(sql, id)).length, 1);
  }));
