import assert from "node:assert/strict";
import fc from "fast-check";
import type postgres from "postgres";
import type { ProviderEvent } from "../../supabase/functions/_shared/db/provider_events.ts";
import { withTestDatabase } from "../setup/database.ts";
import {
  assertConserved,
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  letTimePass,
  report,
  type SendingCompany,
  statusesOf,
} from "./queue.ts";

const STAGES = ["sent", "delivered", "read", "failed"] as const;
type Stage = typeof STAGES[number];

/** Events of one message in any order, some told twice, cut into calls; with the moment our own result is written. */
interface Telling {
  events: Stage[];
  cuts: boolean[];
  retryable: boolean;
  /** Before which event our worker writes down that the message was taken. */
  ownResultAt: number;
  echo: boolean;
}

const telling: fc.Arbitrary<Telling> = fc
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

/** What must be true in the end: the furthest fact, else the failure, else that it was sent. */
function expected(events: Stage[]): Stage {
  return (["read", "delivered", "failed"] as const).find((stage) => events.includes(stage)) ?? "sent";
}

Deno.test("provider events in any order, batching and repetition lead to the same state", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await fc.assert(
      fc.asyncProperty(telling, async (input) => {
        assert.equal(await tell(sql, company, input), expected(input.events));
        await assertConserved(sql);
      }),
      { numRuns: 60 },
    );
  }));

async function tell(sql: postgres.Sql, company: SendingCompany, input: Telling): Promise<string> {
  const { ids: [id] } = await enqueue(sql, company);
  const claimed = await claim(sql);
  let batch: ProviderEvent[] = [];
  for (const [index, stage] of input.events.entries()) {
    if (index === input.ownResultAt) await finish(sql, claimed, { outcome: "sent" });
    batch.push(eventOf(company.id, id!, stage, {
      dedupe_key: crypto.randomUUID(),
      retryable: stage === "failed" && input.retryable,
      ...(!input.echo && { company_id: null, notification_id: null }),
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
