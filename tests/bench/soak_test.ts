import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { drawCharts } from "../../bench/plots/draw_charts.ts";
import { judge, type Outcome } from "../../bench/soak/judge.ts";
import { plots, readRecord, withRecord } from "../../bench/soak/record.ts";
import type { Sample } from "../../bench/soak/sample.ts";

const DOCS = fileURLToPath(new URL("../../docs/", import.meta.url));

function sample(index: number, overrides: Partial<Sample> = {}): Sample {
  const memory = { serve: 200, dispatcher: 100, "killed dispatcher": 90, postgres: 500 };
  return {
    at_s: index * 10,
    accepted_per_s: 200,
    taken_per_s: 200,
    due: 20,
    oldest_due_s: 0,
    unapplied: 3,
    events_per_s: 500,
    memory,
    ...overrides,
  };
}

/** A run of ten samples in which all went well; `change` sets what the samples of its second half say. */
function outcome(overrides: Partial<Outcome> = {}, change: (sample: Sample) => Partial<Sample> = () => ({})) {
  const samples = Array.from({ length: 10 }, (_, index) => sample(index)).map((each, index) =>
    index < 5 ? each : { ...each, ...change(each) }
  );
  const sendLog = { notifications: 1000, lost: 0, twice: 0, unexplained: 0, denied: 0, unknown: 0 };
  return {
    ...{
      samples,
      rate: 200,
      accepted: 1000,
      refused: 0,
      kills: 1,
      sendLog,
      unread: 0,
      wrongCounters: 0,
      settledS: 4,
    },
    viewers: { count: 5, events: 100, reads: 10, failedReads: 0, maxSilenceMs: 900 },
    ...overrides,
  };
}

function failed(run: Outcome): string[] {
  return judge(run).filter(({ met }) => met === false).map(({ name, figure }) => `${name}: ${figure}`);
}

Deno.test("judge() finds nothing wrong with a steady run", () => {
  assert.deepEqual(failed(outcome()), []);
});

Deno.test("judge() names what was lost, sent too often or counted wrongly", () => {
  const { sendLog } = outcome();

  const run = outcome({
    refused: 2,
    wrongCounters: 1,
    sendLog: { ...sendLog, lost: 3, unexplained: 1, unknown: 4 },
  });

  assert.deepEqual(failed(run), [
    "requests refused: 2",
    "lost: 3",
    "sent more often than unknown outcomes explain: 1",
    "sent, and recorded as not sent: 4",
    "campaigns with a wrong counter: 1",
  ]);
});

Deno.test("judge() names what was accepted and is not there", () => {
  assert.deepEqual(failed(outcome({ accepted: 1001 })), ["accepted and not stored: 1"]);
});

Deno.test("judge() names memory that moved by more than 10 %, either way", () => {
  const memory = { serve: 221, dispatcher: 109, "killed dispatcher": 80, postgres: 500 };

  assert.deepEqual(failed(outcome({}, () => ({ memory }))), [
    "memory of serve: 200 → 221 MB (+10.5 %)",
    "memory of killed dispatcher: 90 → 80 MB (−11.1 %)",
  ]);
});

Deno.test("judge() names a queue that grew by more than a second's work", () => {
  assert.deepEqual(failed(outcome({}, () => ({ due: 221, unapplied: 203 }))), [
    "notifications that are due: 20 → 221",
  ]);
});

Deno.test("judge() names consoles that received nothing, or nothing for long", () => {
  const { viewers } = outcome();

  assert.deepEqual(failed(outcome({ viewers: { ...viewers, events: 0 } })), [
    "longest silence of a console: 0.9 s",
  ]);
  assert.deepEqual(failed(outcome({ viewers: { ...viewers, maxSilenceMs: 31_000 } })), [
    "longest silence of a console: 31.0 s",
  ]);
});

Deno.test("docs/operations.md and the plots show what bench/soak.json holds", async () => {
  const record = await readRecord();
  const page = await Deno.readTextFile(`${DOCS}operations.md`);

  assert.equal(page, withRecord(page, record));
  for (const [name, svg] of Object.entries(await drawCharts(plots(record)))) {
    assert.equal(await Deno.readTextFile(`${DOCS}performance/${name}`), svg);
  }
});
