import assert from "node:assert/strict";
import fc from "fast-check";
import type postgres from "postgres";
import type { PlatformEvent } from "../../../supabase/functions/_shared/db/queue/platform_events.ts";
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
  statusesOf,
  tickNow,
} from "../../setup/fixtures/queue.ts";

const STAGES = ["sent", "delivered", "read", "failed"] as const;
type Stage = typeof STAGES[number];

/** Events of one message in any order, some reported twice, cut into batches; with the moment our own result is written. */
interface EventSequence {
  events: Stage[];
  cuts: boolean[];
  retryable: boolean;
  /** Before which event our worker records that the message was taken. */
  ownResultAt: number;
  echo: boolean;
}

const eventSequence: fc.Arbitrary<EventSequence> = fc
  .subarray([...STAGES], { minLength: 1 })
  .chain((stages) => fc.shuffledSubarray([...stages, ...stages], { minLength: stages.length * 2 }))
  .chain((events) =>
    fc.record({
      events: fc.constant(events),
      cuts: fc.array(fc.boolean(), { minLength: events.length, maxLength: events.length }),
      retryable: fc.boolean(),
      ownResultAt: fc.nat({ max: events.length }),
      echo: fc.boolean(),
    })
  );

/** Returns the status in the end: the furthest fact, else the failure, else that it was sent. */
function expected(events: Stage[]): Stage {
  return (["read", "delivered", "failed"] as const).find((stage) => events.includes(stage)) ?? "sent";
}

Deno.test("platform events in any order, batching and repetition lead to the same state", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await fc.assert(
      fc.asyncProperty(eventSequence, async (input) => {
        assert.equal(await applySequence(sql, company, input), expected(input.events));
        await assertConserved(sql);
      }),
      { numRuns: 60 },
    );
  }));

async function applySequence(
  sql: postgres.Sql,
  company: SendingCompany,
  input: EventSequence,
): Promise<string> {
  const { ids: [id] } = await enqueue(sql, company);
  const claimed = await claim(sql);
  let batch: PlatformEvent[] = [];
  for (const [index, stage] of input.events.entries()) {
    if (index === input.ownResultAt) await finish(sql, claimed, { outcome: "sent" });
    batch.push(eventOf(company.id, id!, stage, {
      dedupe_key: crypto.randomUUID(),
      retryable: stage === "failed" && input.retryable,
      ...(!input.echo && { company_id: null, notification_id: null, waba_id: company.sender.waba_id }),
    }));
    if (!input.cuts[index]) continue;
    await report(sql, batch);
    await assertConserved(sql);
    batch = [];
  }
  await finish(sql, claimed, { outcome: "sent" });
  await report(sql, batch);
  // Whatever had to wait for our own result.
  await letTimePass(sql, 60);
  await report(sql, []);
  const [status] = await statusesOf(sql, [id!]);
  return status!;
}

/** Events of two attempts, the first of unknown outcome, in any order. */
interface TwoAttempts {
  events: { fence: 1 | 2; stage: Stage }[];
  cuts: boolean[];
  retryable: boolean;
  /** Before which event our worker records that the second message was taken. */
  ownResultAt: number;
}

const twoAttempts: fc.Arbitrary<TwoAttempts> = fc
  .subarray(([1, 2] as const).flatMap((fence) => STAGES.map((stage) => ({ fence, stage }))), { minLength: 1 })
  .chain((events) => fc.shuffledSubarray(events, { minLength: events.length }))
  .chain((events) =>
    fc.record({
      events: fc.constant(events),
      cuts: fc.array(fc.boolean(), { minLength: events.length, maxLength: events.length }),
      retryable: fc.boolean(),
      ownResultAt: fc.nat({ max: events.length }),
    })
  );

/** The furthest receipt of either; else it was sent as long as one of the attempts was and has not failed. */
function expectedOfTwo(events: TwoAttempts["events"]): Stage {
  const furthest = (["read", "delivered"] as const).find((stage) =>
    events.some((event) => event.stage === stage)
  );
  if (furthest) return furthest;
  const has = (fence: number, stage: Stage) =>
    events.some((event) => event.fence === fence && event.stage === stage);
  return !has(2, "failed") || (has(1, "sent") && !has(1, "failed")) ? "sent" : "failed";
}

Deno.test("platform events of two attempts in any order lead to the same state, each failure counting for its own attempt", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await fc.assert(
      fc.asyncProperty(twoAttempts, async (input) => {
        assert.equal(await tellOfTwo(sql, company, input), expectedOfTwo(input.events));
        await assertConserved(sql);
      }),
      { numRuns: 100 },
    );
  }));

async function tellOfTwo(sql: postgres.Sql, company: SendingCompany, input: TwoAttempts): Promise<string> {
  const { ids: [id] } = await enqueue(sql, company);
  await finish(sql, await claim(sql), { outcome: "unknown" });
  await letTimePass(sql, 121);
  await tickNow(sql);
  const claimed = await claim(sql);
  let batch: PlatformEvent[] = [];
  for (const [index, { fence, stage }] of input.events.entries()) {
    if (index === input.ownResultAt) await finish(sql, claimed, { outcome: "sent" });
    batch.push(eventOf(company.id, id!, stage, {
      platform_message_id: messageId(id!, fence),
      retryable: stage === "failed" && input.retryable,
    }));
    if (!input.cuts[index]) continue;
    await report(sql, batch);
    await assertConserved(sql);
    batch = [];
  }
  await finish(sql, claimed, { outcome: "sent" });
  await report(sql, batch);
  // Whatever had to wait for our own result.
  await letTimePass(sql, 60);
  await report(sql, []);
  const [status] = await statusesOf(sql, [id!]);
  return status!;
}
