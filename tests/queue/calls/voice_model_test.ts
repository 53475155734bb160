import assert from "node:assert/strict";
import fc from "fast-check";
import type postgres from "postgres";
import { failEndlessCalls, takeCallsToCheck } from "../../../supabase/functions/_shared/db/calls/calls.ts";
import {
  adjustSenders,
  type ClaimedNotification,
  type FinishedNotification,
} from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  calledNumber,
  callEventOf,
  type CallingCompany,
  enqueueCalls,
  insertCallingCompany,
} from "../../setup/fixtures/calling_company.ts";
import {
  assertConserved,
  claim,
  finish,
  letTimePass,
  messageId,
  planTurns,
  report,
  tickNow,
} from "../../setup/fixtures/queue.ts";

const LINES = 3;
const CHECK_S = 120;
const ENDLESS_AFTER_S = 14_400;
const OUTCOMES = ["sent", "failed", "retry", "not_sent", "unknown", "released", "postponed"] as const;
/** After these the platform may have called. */
const MAY_HAVE_CALLED = new Set<string>(["sent", "unknown"]);
const OVER = new Set(["delivered", "failed", "cancelled"]);

type Step =
  | { do: "accept"; numbers: number[]; dueInS: number | null }
  | { do: "claim"; worker: number; limit: number; leaseS: number }
  | { do: "finish"; pick: number; outcome: typeof OUTCOMES[number]; retryInS: number }
  | { do: "crash"; pick: number }
  | { do: "wait"; seconds: number }
  | { do: "event"; pick: number; outcome: "answered" | "voicemail" | "busy" | "failed"; known: boolean }
  | { do: "check"; limit: number }
  | { do: "pause" | "resume" | "cancel"; pick: number }
  | { do: "slow_down" };

function stepOf<Name extends Step["do"], Rest extends Record<string, unknown>>(
  weight: number,
  name: Name,
  rest: { [Key in keyof Rest]: fc.Arbitrary<Rest[Key]> },
) {
  return { weight, arbitrary: fc.record({ do: fc.constant(name), ...rest }) };
}

const step = fc.oneof(
  stepOf(2, "accept", {
    numbers: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }),
    dueInS: fc.option(fc.constantFrom(10, 100)),
  }),
  stepOf(6, "claim", {
    worker: fc.nat({ max: 2 }),
    limit: fc.integer({ min: 1, max: 5 }),
    leaseS: fc.constantFrom(5, 60),
  }),
  stepOf(5, "finish", {
    pick: fc.nat(),
    outcome: fc.constantFrom(...OUTCOMES),
    retryInS: fc.constantFrom(1, 10, 1000),
  }),
  stepOf(3, "crash", { pick: fc.nat() }),
  stepOf(4, "wait", { seconds: fc.constantFrom(1, 11, 61, 130, 130) }),
  stepOf(4, "event", {
    pick: fc.nat(),
    outcome: fc.constantFrom("answered", "voicemail", "busy", "failed"),
    known: fc.boolean(),
  }),
  stepOf(1, "check", { limit: fc.integer({ min: 1, max: 5 }) }),
  stepOf(1, "pause", { pick: fc.nat() }),
  stepOf(1, "resume", { pick: fc.nat() }),
  stepOf(1, "cancel", { pick: fc.nat() }),
  stepOf(1, "slow_down", {}),
) as fc.Arbitrary<Step>;

interface Row {
  id: string;
  company_id: string;
  campaign_id: string;
  number: string;
  status: string;
}

interface Claim {
  worker: string;
  notification: ClaimedNotification;
  /** The outcome that its worker found; the worker may record it more than once. */
  outcome?: typeof OUTCOMES[number] | "crashed";
}

/** Runs steps against the database and knows, of each notification, whether a phone may have rung. */
class Run {
  readonly #claims: Claim[] = [];
  /** May have rung: nothing of these may be claimed again. */
  readonly #rung = new Set<string>();
  #rows: Row[] = [];

  constructor(private readonly sql: postgres.Sql, private readonly company: CallingCompany) {}

  async do(step: Step): Promise<void> {
    const { sql, company } = this;
    switch (step.do) {
      case "accept":
        await enqueueCalls(sql, company, {
          numbers: step.numbers.map(calledNumber),
          ...(step.dueInS !== null && { dueInS: step.dueInS }),
        });
        break;
      case "claim":
        await this.#claim(`worker-${step.worker}`, step.limit, step.leaseS);
        break;
      case "finish":
        if (this.#claims.length > 0) await this.#finish(step);
        break;
      case "crash":
        // Its worker dialled and died: the outcome is never recorded.
        if (this.#claims.length > 0) await this.#crash(this.#claims[step.pick % this.#claims.length]!);
        break;
      case "wait":
        await letTimePass(sql, step.seconds);
        await tickNow(sql);
        await report(sql, []);
        break;
      case "event":
        if (this.#claims.length > 0) await this.#event(step);
        break;
      case "check":
        await failEndlessCalls(sql, { limit: 100, afterS: ENDLESS_AFTER_S });
        await takeCallsToCheck(sql, { limit: step.limit, afterS: CHECK_S });
        break;
      case "slow_down":
        await adjustSenders(sql, [{
          company_id: company.id,
          sender_id: company.sender.id,
          change: "slow_down",
        }]);
        break;
      default: {
        const row = this.#rows[step.pick % Math.max(1, this.#rows.length)];
        if (row) {
          await sql`select outbound.${sql(`${step.do}_campaign`)}(${row.company_id}, ${row.campaign_id})`;
        }
      }
    }
    await this.#look();
  }

  async #claim(worker: string, limit: number, leaseS: number): Promise<void> {
    const before = this.#rows.filter(({ status }) => ["sending", "unconfirmed", "sent"].includes(status));
    const claimed = await claim(this.sql, { worker, limit, leaseS });
    assert.ok(claimed.length === 0 || before.length + claimed.length <= LINES, "more calls than lines");
    const busy = new Set(before.map(({ campaign_id, number }) => `${campaign_id} ${number}`));
    for (const notification of claimed) {
      assert.ok(!this.#rung.has(notification.id), "called again although the first call may have rung");
      const whom = `${notification.campaign_id} ${notification.number}`;
      assert.ok(!busy.has(whom), "a campaign calls a number twice at once");
      busy.add(whom);
      this.#claims.push({ worker, notification });
    }
  }

  async #crash(claim: Claim): Promise<void> {
    if (claim.outcome !== undefined || !await this.#mayDial(claim)) return;
    claim.outcome = "crashed";
    this.#rung.add(claim.notification.id);
  }

  /** A worker whose lease is over does not dial any more. */
  async #mayDial({ worker, notification: { id, fence } }: Claim): Promise<boolean> {
    const [row] = await this.sql`select 1 from outbound.notifications
      where id = ${id} and fence = ${fence} and status = 'sending' and worker = ${worker}`;
    return row !== undefined;
  }

  async #finish({ pick, outcome, retryInS }: Extract<Step, { do: "finish" }>): Promise<void> {
    const claim = this.#claims[pick % this.#claims.length]!;
    const { worker, notification } = claim;
    if (claim.outcome === undefined) {
      const dials = await this.#mayDial(claim);
      claim.outcome = dials || !MAY_HAVE_CALLED.has(outcome) ? outcome : "released";
      if (MAY_HAVE_CALLED.has(claim.outcome)) this.#rung.add(notification.id);
    }
    if (claim.outcome === "crashed") return;
    const facts: Partial<FinishedNotification> & Pick<FinishedNotification, "outcome"> = {
      outcome: claim.outcome === "retry" && notification.attempt >= 5 ? "failed" : claim.outcome,
      retry_in_s: retryInS,
    };
    await finish(this.sql, [notification], facts, { worker });
  }

  async #event({ pick, outcome, known }: Extract<Step, { do: "event" }>): Promise<void> {
    const { notification } = this.#claims[pick % this.#claims.length]!;
    if (!this.#rung.has(notification.id)) return;
    await report(this.sql, [
      callEventOf(notification.company_id, notification.id, outcome, {
        platform_message_id: messageId(notification.id, notification.fence),
        ...(!known && { company_id: null, notification_id: null }),
      }),
    ]);
  }

  async #look(): Promise<void> {
    await assertConserved(this.sql);
    this.#rows = [
      ...await this.sql<
        Row[]
      >`select id, company_id, campaign_id, number, status from outbound.notifications`,
    ];
  }

  /** With no event ever coming, time alone must end what is going on and give every line back. */
  async end(): Promise<void> {
    const { sql } = this;
    for (const { company_id, campaign_id } of this.#rows) {
      await sql`select outbound.resume_campaign(${company_id}, ${campaign_id})`;
    }
    await letTimePass(sql, 200); // every lease is over, and every share of the lines restored
    await tickNow(sql);
    await letTimePass(sql, 200);
    await tickNow(sql);
    await letTimePass(sql, ENDLESS_AFTER_S);
    await failEndlessCalls(sql, { limit: 100, afterS: ENDLESS_AFTER_S });
    await takeCallsToCheck(sql, { limit: 1000, afterS: CHECK_S });
    await this.#look();
    assert.ok(
      this.#rows.every(({ status }) => OVER.has(status) || status === "queued" || status === "scheduled"),
    );
    const [{ asked }] = await sql<[{ asked: number }]>`
      select count(*)::int as asked from outbound.calls where check_at is not null`;
    assert.equal(asked, 0, "calls that are over are still polled");
    await enqueueCalls(sql, this.company, { numbers: [5, 6, 7, 8].map(calledNumber) });
    await sql`update outbound.queue set run_at = now() - interval '1 day' where id in (
      select id from outbound.notifications where number >= ${calledNumber(5)})`;
    await planTurns(sql);
    assert.equal((await claim(sql)).length, LINES, "a line got lost");
  }
}

Deno.test("whatever happens in whatever order, no line is lost and no recipient is called again who may have been called", () =>
  withTestDatabase(async ({ sql }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: "max" }), async (steps) => {
        await sql`
          truncate outbound.companies, outbound.campaigns, outbound.notification_facts, outbound.queue, outbound.platform_events,
            outbound.delivery_attempts cascade`;
        const run = new Run(sql, await insertCallingCompany(sql, { concurrency: LINES }));
        for (const each of steps) await run.do(each);
        await run.end();
      }),
      { numRuns: 25 },
    );
  }));
