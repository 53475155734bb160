import assert from "node:assert/strict";
import { minutesOf, Throughput } from "../../console/data/live/throughput.ts";
import { paceOf } from "../../console/screens/campaign/pace.ts";

const CAMPAIGN = { pending: 90, processing: 10, rate_per_minute: 20, seconds_left: 300 };

function bucket(sent: number, failed = 0) {
  return { at: 0, sent, failed };
}

Deno.test("paceOf() takes the rate of the last full buckets, and the mean while they are empty", () => {
  assert.deepEqual(paceOf(CAMPAIGN, [bucket(900), bucket(60), bucket(50, 10), bucket(60), bucket(6)]), {
    perMinute: 60,
    secondsLeft: 100,
    isMean: false,
  });
  for (const buckets of [[], [bucket(600)], [bucket(0), bucket(600)]]) {
    assert.deepEqual(paceOf(CAMPAIGN, buckets), { perMinute: 20, secondsLeft: 300, isMean: true });
  }
});

Deno.test("minutesOf() counts the messages of each minute, and does not extrapolate those of a moment", () => {
  const minute = 1_800_000_000_000;
  const buckets = [bucket(60), bucket(0), bucket(30, 6)].map((each, index) => ({
    ...each,
    at: minute + index * 30_000,
  }));

  assert.deepEqual(minutesOf(buckets), [
    { at: minute, sent: 10, failed: 0 },
    { at: minute + 60_000, sent: 5, failed: 1 },
  ]);
});

function counted(throughput: Throughput): [sent: number, failed: number] {
  const buckets = throughput.buckets.peek();
  return [
    buckets.reduce((sum, { sent }) => sum + sent, 0) / 6,
    buckets.reduce((sum, { failed }) => sum + failed, 0) / 6,
  ];
}

Deno.test("Throughput counts what events add to what was read, and the same event once", () => {
  const throughput = new Throughput();
  throughput.know({ campaign_id: "a", sent: 100, failed: 1 });

  for (const sent of [110, 110, 115]) throughput.count({ campaign_id: "a", sent, failed: 3 });

  assert.deepEqual(counted(throughput), [15, 2]);
});

Deno.test("Throughput counts a campaign that is new from zero, and an old one from its first event", () => {
  const throughput = new Throughput();
  const soon = new Date(Date.now() + 1000).toISOString();

  throughput.count({ campaign_id: "new", sent: 5, failed: 1, started_at: soon });
  throughput.count({ campaign_id: "old", sent: 500, failed: 9, started_at: "2026-01-01T00:00:00Z" });
  throughput.count({ campaign_id: "old", sent: 501, failed: 9, started_at: "2026-01-01T00:00:00Z" });

  assert.deepEqual(counted(throughput), [6, 1]);
});
