import assert from "node:assert/strict";
import fc from "fast-check";
import type postgres from "postgres";
import {
  adjustSenders,
  type ClaimedNotification,
  type FinishedNotification,
} from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  assertConserved,
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  letTimePass,
  messageId,
  report,
  type SendingCompany,
  tickNow,
} from "../../setup/fixtures/queue.ts";

/** The table of docs/states.md: where a notification may be found after being there. */
const MOVES: Record<string, string[]> = {
  scheduled: ["queued", "sending", "cancelled", "failed"],
  queued: ["sending", "failed", "cancelled", "sent", "delivered", "read"],
  sending: ["sent", "delivered", "read", "failed", "queued", "unconfirmed", "cancelled"],
  unconfirmed: ["sent", "delivered", "read", "failed", "queued", "cancelled"],
  sent: ["delivered", "read", "failed"],
  delivered: ["read"],
  read: [],
  // Overruled by the platform's word that it was sent, delivered or read after all.
  failed: ["sent", "delivered", "read"],
  cancelled: ["sent", "delivered", "read"],
};

/** How far along a receipt puts a notification. */
const STAGES = ["sent", "delivered", "read"];

const OUTCOMES = ["sent", "failed", "retry", "not_sent", "unknown", "released"] as const;
const MAX_ATTEMPTS = 5;

type Step =
  | { do: "accept"; company: number; count: number; dueInS: number | null; ttlS: number }
  | { do: "claim"; worker: number; limit: number; leaseS: number }
  | { do: "finish"; pick: number; outcome: typeof OUTCOMES[number]; retryInS: number }
  | { do: "wait"; seconds: number }
  | {
    do: "event";
    pick: number;
    status: "sent" | "delivered" | "read" | "failed";
    retryable: boolean;
    /** Whether the reference names the attempt, as those of earlier versions do not. */
    known: boolean;
  }
  | { do: "cancel"; pick: number }
  | { do: "sender"; company: number; change: "reached" | "unreachable" | "slow_down" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("accept" as const),
      company: fc.nat({ max: 1 }),
      count: fc.integer({ min: 1, max: 4 }),
      dueInS: fc.option(fc.constantFrom(10, 100)),
      ttlS: fc.constantFrom(60, 86_400),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("claim" as const),
      worker: fc.nat({ max: 2 }),
      limit: fc.integer({ min: 1, max: 5 }),
      leaseS: fc.constantFrom(5, 60),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("finish" as const),
      pick: fc.nat(),
      outcome: fc.constantFrom(...OUTCOMES),
      retryInS: fc.constantFrom(0, 10, 1000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.constantFrom(1, 11, 61, 130) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("event" as const),
      pick: fc.nat(),
      status: fc.constantFrom("sent" as const, "delivered" as const, "read" as const, "failed" as const),
      retryable: fc.boolean(),
      known: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), pick: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("sender" as const),
      company: fc.nat({ max: 1 }),
      change: fc.constantFrom("reached" as const, "unreachable" as const, "slow_down" as const),
    }),
  },
);

interface Row {
  id: string;
  company_id: string;
  campaign_id: string;
  status: string;
  attempt: number;
  fence: number;
}

/** Runs steps against the database and, after each, compares what it finds with what may be. */
class Run {
  /** Every claim ever made, by whom. */
  readonly claims: { worker: string; notification: ClaimedNotification }[] = [];
  /** Messages that are known to have failed: that they were sent is no news. */
  readonly failed = new Set<string>();
  /** Events that came while their message was untried, and were left waiting. */
  readonly ofUntried = new Set<string>();
  readonly untried = new Map<string, number>();
  #before = new Map<string, Row>();

  constructor(private readonly sql: postgres.Sql, private readonly companies: SendingCompany[]) {}

  async do(step: Step): Promise<void> {
    const now = [...this.#before.values()];
    switch (step.do) {
      case "accept": {
        const { company, dueInS, ...rest } = step;
        await enqueue(this.sql, this.companies[company]!, { ...rest, ...(dueInS !== null && { dueInS }) });
        break;
      }
      case "claim":
        await this.#claim(`worker-${step.worker}`, step.limit, step.leaseS);
        break;
      case "finish":
        if (this.claims.length > 0) await this.#finish(step);
        break;
      case "wait":
        await letTimePass(this.sql, step.seconds);
        await tickNow(this.sql);
        await report(this.sql, []);
        break;
      case "event":
        if (this.claims.length > 0) await this.#event(step);
        break;
      case "cancel":
        if (now.length > 0) {
          const { company_id, campaign_id } = now[step.pick % now.length]!;
          await this.sql`select outbound.cancel_campaign(${company_id}, ${campaign_id})`;
        }
        break;
      case "sender": {
        const { id, sender } = this.companies[step.company]!;
        await adjustSenders(this.sql, [{ company_id: id, sender_id: sender.id, change: step.change }]);
      }
    }
    await this.#check();
  }

  async #claim(worker: string, limit: number, leaseS: number): Promise<void> {
    for (const notification of await claim(this.sql, { worker, limit, leaseS })) {
      const { id, fence, attempt } = notification;
      const before = this.#before.get(id);
      assert.ok(before && ["scheduled", "queued"].includes(before.status), "claimed from nowhere");
      assert.deepEqual([fence, attempt], [before.fence + 1, before.attempt + 1]);
      this.claims.push({ worker, notification });
    }
  }

  async #finish({ pick, outcome, retryInS }: Extract<Step, { do: "finish" }>): Promise<void> {
    const { worker, notification } = this.claims[pick % this.claims.length]!;
    const facts: Partial<FinishedNotification> & Pick<FinishedNotification, "outcome"> = {
      // As judgeOutcome() does.
      outcome: outcome === "retry" && notification.attempt >= MAX_ATTEMPTS ? "failed" : outcome,
      retry_in_s: retryInS,
    };
    const changed = await finish(this.sql, [notification], facts, { worker });
    const before = this.#before.get(notification.id)!;
    if (changed === 0) return;
    const outdated = before.fence !== notification.fence;
    // That an earlier attempt was sent counts, unless another is under way.
    const counts = outcome === "sent" && before.status !== "sending";
    assert.ok(!outdated || counts, "an outdated worker changed something");
    if (outcome === "not_sent" || outcome === "released") {
      this.untried.set(before.id, (this.untried.get(before.id) ?? 0) + 1);
    }
  }

  async #event(step: Extract<Step, { do: "event" }>): Promise<void> {
    const { status, known } = step;
    const { notification: { company_id, id, fence } } = this.claims[step.pick % this.claims.length]!;
    const platform_message_id = messageId(id, fence);
    const before = this.#before.get(id)!;
    const retryable = status === "failed" && step.retryable;
    await report(this.sql, [
      eventOf(company_id, id, status, { platform_message_id, retryable, ...(!known && { fence: null }) }),
    ]);
    const [after] = await this.sql<Row[]>`select status from outbound.notifications where id = ${id}`;
    this.#checkEvent(step, { before, after: after!, fence, platform_message_id });
  }

  #checkEvent(
    { status, known }: Extract<Step, { do: "event" }>,
    { before, after, fence, platform_message_id }: {
      before: Row;
      after: Row;
      fence: number;
      platform_message_id: string;
    },
  ): void {
    if (status === "failed") {
      this.failed.add(platform_message_id);
      if (before.status === "cancelled") {
        assert.equal(after.status, "cancelled", "failed after it was cancelled");
      }
      const untouched = known && fence !== before.fence && before.status !== "sent";
      if (untouched) assert.equal(after.status, before.status, "an attempt paid for the failure of another");
      return;
    }
    const neverLeft = before.attempt === 0 && ["scheduled", "queued", "cancelled"].includes(before.status);
    const event = `${platform_message_id}:${status}`;
    if (neverLeft) {
      this.ofUntried.add(event);
      return assert.equal(after.status, before.status, "untried, and yet received");
    }
    // A repeated event is the one that is stored already, and that one waits for its next look.
    if (this.ofUntried.has(event)) return;
    if (status === "sent" && this.failed.has(platform_message_id)) return;
    const failedForThis = before.status === "failed" && (!known || fence === before.fence);
    if (status === "sent" && failedForThis) return;
    assert.ok(STAGES.indexOf(after.status) >= STAGES.indexOf(status), `${status}, but ${after.status}`);
  }

  async #check(): Promise<void> {
    await assertConserved(this.sql);
    const rows = await this.sql<Row[]>`
      select id, company_id, campaign_id, status, attempt, fence from outbound.notifications`;
    for (const row of rows) {
      const before = this.#before.get(row.id);
      if (!before) continue;
      const possible = [before.status, ...MOVES[before.status]!];
      assert.ok(possible.includes(row.status), `${before.status} became ${row.status}`);
      assert.ok(row.fence >= before.fence);
      assert.ok(row.attempt >= 0 && row.attempt <= MAX_ATTEMPTS, `attempt number ${row.attempt}`);
      assert.equal(
        row.attempt,
        row.fence - (this.untried.get(row.id) ?? 0),
        "an attempt was lost or counted twice",
      );
    }
    this.#before = new Map(rows.map((row) => [row.id, row]));
  }
}

Deno.test("whatever happens in whatever order, the queue keeps its laws", () =>
  withTestDatabase(async ({ sql }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("resend" as const, "hold" as const),
        fc.array(step, { minLength: 20, maxLength: 60, size: "max" }),
        async (onUnknown, steps) => {
          await sql`
            truncate outbound.companies, outbound.campaigns, outbound.notification_facts, outbound.queue, outbound.platform_events,
              outbound.delivery_attempts cascade`;
          const companies = [
            await insertSendingCompany(sql, { onUnknown }),
            await insertSendingCompany(sql, { sender: { rate_per_second: 20 } }),
          ];
          const run = new Run(sql, companies);
          for (const each of steps) await run.do(each);
        },
      ),
      { numRuns: 25 },
    );
  }));
