import assert from "node:assert/strict";
import { printFigures } from "../figures.ts";
import { startIntake } from "../intake.ts";
import { assertBalanced } from "../send_log.ts";
import { type FaultEnvironment, withFaults } from "../with_faults.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Lets requests come in, and three dispatchers send, while `happen` does its worst; then until all is over. */
async function sendWhile(t: FaultEnvironment, name: string, happen: () => Promise<void>): Promise<void> {
  const pool = t.startDispatchers(3);
  await pool.ready();
  const intake = startIntake(t, { contacts: 20, everyMs: 100 });
  await pause(1000);
  await happen();
  await pause(1000);
  const accepted = await intake.stop();
  await t.settle();
  await pool.stop();
  const sendLog = await t.sendLog();
  printFigures(name, {
    accepted,
    "unknown outcomes": await t.unknownAttempts(),
    failed: sendLog.entries.filter(({ status }) => status === "failed").length,
    lost: sendLog.lost.length,
    twice: sendLog.twice.length,
  });
  assertBalanced(sendLog, { allow: "nothing" });
}

/** Longer than the window after which an unknown outcome is retried; the breaker opens and closes several times. */
const DOWN_MS = 6500;
/** It takes messages again before its events come through. */
const SILENT_MS = 2500;
const NO_LISTENER = "http://127.0.0.1:9";

Deno.test("a platform that is down for longer than it may keep silent: nothing is lost, nothing is sent twice", () =>
  withFaults(async (t) => {
    await t.platform.configure({ latency_ms: 200, sent_ms: 500, delivered_ms: 600, read_ms: 700 });

    await sendWhile(t, `platform down for ${DOWN_MS / 1000} s`, async () => {
      await t.platform.configure({ webhook_url: NO_LISTENER });
      await t.platform.goDown();
      await pause(DOWN_MS);
      await t.platform.comeBack();
      await pause(SILENT_MS);
      await t.platform.configure({ webhook_url: t.webhookUrl });
    });

    // Those of unknown outcome are not the platform's being down: a busy machine makes more of them.
    const [row] = await t.sql`
      select max(n.attempt - (
        select count(*) from outbound.delivery_attempts as a
        where a.company_id = n.company_id and a.notification_id = n.id and a.outcome = 'unknown'
      ))::int as attempts from outbound.notifications as n`;
    assert.ok(row!.attempts <= 2, `a platform that is down has used up ${row!.attempts} attempts`);
  }, { ratePerSecond: 5000 }));

/** So fast that what is left of it after many 429s still is. */
const FAST = 20_000;

/** Faults of the sandbox, which documents what each does to a message. */
const MISCHIEF = [
  { probability: 0.03, fault: { hang: true } },
  { probability: 0.03, fault: { drop: true } },
  { probability: 0.03, fault: { drop_before: true } },
  { probability: 0.03, fault: { invalid_json: true } },
  { probability: 0.03, fault: { http: 500, body: "<html>Oops</html>", accepted: true } },
  { probability: 0.03, fault: { http: 502, body: "Bad gateway", accepted: false } },
  { probability: 0.03, fault: { http: 429, body: "slow down", accepted: false } },
  { probability: 0.01, fault: { code: 130429 } },
  { probability: 0.05, times: 10, fault: { code: 131016 } },
  { probability: 0.05, fault: { latency_ms: 1500 } },
  { probability: 0.05, fault: { duplicate: true, reorder: true } },
  { probability: 0.05, fault: { early_webhook: true } },
];

Deno.test("a platform that hangs, breaks off and returns rubbish at random: nothing is lost, nothing is sent twice", () =>
  withFaults(async (t) => {
    for (const rule of MISCHIEF) await t.platform.addFault(rule);

    await sendWhile(t, "platform hanging, dropping and returning 500, 429 and rubbish", async () => {
      await pause(8000);
      await t.platform.endFaults();
    });
  }, { ratePerSecond: FAST }));

Deno.test("the same without the platform's events repeats only what was of unknown outcome", () =>
  withFaults(async (t) => {
    for (const rule of MISCHIEF.slice(0, 6)) await t.platform.addFault(rule);
    const pool = t.startDispatchers(2);
    await pool.ready();
    const intake = startIntake(t, { contacts: 20, everyMs: 100 });
    await pause(3000);
    await t.platform.endFaults();
    const accepted = await intake.stop();
    await t.settle();
    await pool.stop();

    const sendLog = await t.sendLog();
    printFigures("the same without events", {
      accepted,
      "unknown outcomes": await t.unknownAttempts(),
      lost: sendLog.lost.length,
      twice: sendLog.twice.length,
    });
    assertBalanced(sendLog, { allow: "unknown" });
    assert.ok(sendLog.twice.length > 0, "no fault hit a message that was taken");
  }, { ratePerSecond: 5000, events: false }));

/** Faults after which the outcome of a message is unknown, though the platform took it. */
const TAKEN_AND_UNANSWERED = [
  { probability: 0.1, fault: { hang: true } },
  { probability: 0.1, fault: { drop: true } },
  { probability: 0.1, fault: { http: 500, body: "<html>Oops</html>", accepted: true } },
];
/** Nearly three windows. */
const DEAF_MS = 11_000;

interface Deafness {
  goDeaf(): Promise<unknown>;
  hearAgain(): Promise<unknown>;
  dispatcherEnv?: Record<string, string>;
}

/**
 * Lets requests come in and dispatchers send while the platform takes messages without saying so and cannot report
 * either, for longer than the window; then until all is over. Nothing may have been sent twice.
 */
async function sendInSilence(
  t: FaultEnvironment,
  name: string,
  { goDeaf, hearAgain, dispatcherEnv = {} }: Deafness,
): Promise<void> {
  const pool = t.startDispatchers(2, () => ({ env: dispatcherEnv }));
  await pool.ready();
  const intake = startIntake(t, { contacts: 20, everyMs: 200 });
  await pause(1000);
  for (const rule of TAKEN_AND_UNANSWERED) await t.platform.addFault(rule);
  await goDeaf();
  await pause(DEAF_MS);
  const [waiting] = await t.sql`
    select count(*)::int as count from outbound.notifications
    where status = 'unconfirmed' and claimed_at < now() - interval '5 seconds'`;
  await t.platform.endFaults();
  await hearAgain();
  const accepted = await intake.stop();
  await t.settle();
  await pool.stop();

  const sendLog = await t.sendLog();
  printFigures(name, {
    accepted,
    "unknown outcomes": await t.unknownAttempts(),
    "waiting for longer than the window": waiting!.count,
    lost: sendLog.lost.length,
    twice: sendLog.twice.length,
  });
  assert.ok(waiting!.count > 0, "no message had to wait");
  assertBalanced(sendLog, { allow: "nothing" });
}

Deno.test("a webhook that is dead for longer than the window, under living dispatchers: nothing is sent twice", () =>
  withFaults(async (t) => {
    await sendInSilence(t, "webhook dead", {
      goDeaf: () => Promise.resolve(t.breakApi(true)),
      hearAgain: () => Promise.resolve(t.breakApi(false)),
    });
  }, { ratePerSecond: 5000 }));

Deno.test("an app secret that is wrong for longer than the window, in every process: nothing is sent twice", () =>
  withFaults(async (t) => {
    const wrong = "not the platform's secret";
    const secretOf = (value: string) => Promise.resolve(t.env.WHATSAPP_APP_SECRET = value);
    const right = t.env.WHATSAPP_APP_SECRET!;
    await sendInSilence(t, "app secret changed", {
      goDeaf: () => secretOf(wrong),
      hearAgain: () => secretOf(right),
      // Their probes come back all the while.
      dispatcherEnv: { WHATSAPP_APP_SECRET: wrong },
    });
  }, { ratePerSecond: 5000 }));
