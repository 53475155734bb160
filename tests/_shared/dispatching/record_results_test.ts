import assert from "node:assert/strict";
import type { ClaimedNotification } from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { judgeOutcome } from "../../../supabase/functions/_shared/dispatching/judge_outcome.ts";
import { createResultRecorder } from "../../../supabase/functions/_shared/dispatching/record_results.ts";
import type { Services } from "../../../supabase/functions/_shared/services.ts";
import { createMetrics } from "../../../supabase/functions/_shared/telemetry/metrics.ts";
import { collectLog } from "../../setup/collect_log.ts";

const SENT = judgeOutcome({
  notification: { id: crypto.randomUUID(), company_id: crypto.randomUUID() } as ClaimedNotification,
  startedAt: new Date(),
  outcome: { kind: "accepted", httpStatus: 200, providerMessageId: "wamid.A", platformNumber: null },
  random: 0,
});

/** A recorder whose queries fail with the given errors, one after the other, and then succeed. */
function recorderAfter(errors: unknown[]) {
  const left = [...errors];
  let queries = 0;
  const sql = Object.assign(() => {
    queries++;
    return left.length > 0 ? Promise.reject(left.shift()) : Promise.resolve([{ changed: 1 }]);
  }, { json: (value: unknown) => value });
  const services = {
    sql,
    log: collectLog().log,
    metrics: createMetrics(),
    env: { UNCONFIRMED_WINDOW_S: 120 },
  };
  return {
    recorder: createResultRecorder(services as unknown as Services, "worker"),
    queries: () => queries,
  };
}

function sqlError(code: string): Error {
  return Object.assign(new Error(code), { name: "PostgresError", code });
}

const PASSING = [
  "08006 25006 28000 28P01 40P01 53100 53200 53300 53400 55P03 57014 57P01 57P03 57P05 58030 XX000 26000 0A000",
  "42501 42883",
].join(" ").split(" ");

Deno.test("record() holds a result and records it again after any error that may pass", async () => {
  const driver = ["CONNECTION_CLOSED", "CONNECT_TIMEOUT", "ECONNREFUSED", "EPIPE", "SASL_SIGNATURE_MISMATCH"]
    .map((code) => Object.assign(new Error(code), { code }));
  const errors = [...PASSING.map(sqlError), ...driver, new TypeError("items.map is not a function")];
  await Promise.all(errors.map(async (error) => {
    const { recorder, queries } = recorderAfter([error]);

    const recorded = recorder.record([SENT]);
    await Promise.resolve();
    while (queries() === 0) await new Promise((resolve) => setTimeout(resolve));
    await new Promise((resolve) => setTimeout(resolve));
    const heldUp = recorder.isBlocked();
    await recorded;

    assert.deepEqual([heldUp, recorder.isBlocked(), queries()], [true, false, 2], String(error));
  }));
});

Deno.test("record() throws what the data itself causes, at once", async () => {
  for (const code of ["22001", "22P05", "23503", "23514"]) {
    const { recorder, queries } = recorderAfter([sqlError(code)]);

    await assert.rejects(recorder.record([SENT]), { code });

    assert.deepEqual([recorder.isBlocked(), queries()], [false, 1]);
  }
});

Deno.test("record() holds a result also while its statement is refused for more than a minute", async () => {
  const real = performance.now.bind(performance);
  const { recorder, queries } = recorderAfter([sqlError("42883"), sqlError("42P01")]);
  try {
    const recorded = recorder.record([SENT]);
    while (queries() === 0) await new Promise((resolve) => setTimeout(resolve));
    await new Promise((resolve) => setTimeout(resolve));
    performance.now = () => real() + 61_000;

    await recorded;
  } finally {
    performance.now = real;
  }
  assert.equal(queries(), 3);
});
