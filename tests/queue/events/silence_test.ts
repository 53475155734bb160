import assert from "node:assert/strict";
import type postgres from "postgres";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  storePlatformEvents,
  storeTemplateEvents,
} from "../../../supabase/functions/_shared/db/queue/platform_events.ts";
import {
  assertConserved,
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  letTimePass,
  probeWebhook,
  type SendingCompany,
  statesOf,
  statusesOf,
  tickNow,
  tickWithoutProbe,
} from "../../setup/fixtures/queue.ts";

/** Longer than the platform may be silent. */
const SILENCE_S = 121;

/** A message of unknown outcome; its id. */
async function sendIntoTheUnknown(sql: postgres.Sql): Promise<string> {
  const { ids } = await enqueue(sql, await insertSendingCompany(sql));
  await finish(sql, await claim(sql), { outcome: "unknown" });
  return ids[0]!;
}

Deno.test("silence says nothing while the platform cannot be reached: it is waited for anew", () =>
  withTestDatabase(async ({ sql }) => {
    const id = await sendIntoTheUnknown(sql);
    await letTimePass(sql, SILENCE_S);
    await sql`update outbound.sender_rate_state set failures = 5, blocked_until = now() + interval '1 second'`;

    const unreachable = await tickNow(sql);
    await letTimePass(sql, SILENCE_S - 2);
    const reachable = await tickNow(sql);
    await letTimePass(sql, 2);
    const silent = await tickNow(sql);

    assert.deepEqual([unreachable.resent, reachable.resent, silent.resent], [0, 0, 1]);
    assert.deepEqual(await statusesOf(sql, [id]), ["queued"]);
    await assertConserved(sql);
  }));

Deno.test("silence while no webhook was reachable proves nothing either", () =>
  withTestDatabase(async ({ sql }) => {
    await tickNow(sql);
    const id = await sendIntoTheUnknown(sql);
    await letTimePass(sql, SILENCE_S);
    await sql`update outbound.settings set updated_at = updated_at - interval '91 seconds'
      where name like 'last_tick:%'`;

    const awake = await tickNow(sql);
    await letTimePass(sql, SILENCE_S);
    const silent = await tickNow(sql);

    assert.deepEqual([awake.resent, silent.resent], [0, 1]);
    assert.deepEqual(await statusesOf(sql, [id]), ["queued"]);
  }));

Deno.test("no event is waited for longer than a message is of use", () =>
  withTestDatabase(async ({ sql }) => {
    const id = await sendIntoTheUnknown(sql);
    await letTimePass(sql, 86_401);
    await sql`update outbound.sender_rate_state set failures = 5, blocked_until = now() + interval '1 second'`;

    await tickNow(sql);

    assert.deepEqual(await statusesOf(sql, [id]), ["failed"]);
  }));

/** A message of unknown outcome, the events around its attempt, and the status that a tick gives it. */
interface Case {
  name: string;
  /** Before the attempt. */
  before?: (t: CaseContext) => Promise<unknown>;
  /** Right after it. */
  after?: (t: CaseContext) => Promise<unknown>;
  /** When its window has ended. */
  late?: (t: CaseContext) => Promise<unknown>;
  status: "queued" | "unconfirmed";
}

interface CaseContext {
  sql: postgres.Sql;
  company: SendingCompany;
  id: string;
}

const eventArrives = ({ sql, company }: CaseContext, account = company.sender.waba_id) =>
  storePlatformEvents(sql, [
    eventOf(company.id, crypto.randomUUID(), "sent", {
      waba_id: account,
      platform_message_id: `wamid.${crypto.randomUUID()}`,
      // Of a message that is not ours, or not yet known: an event counts before it is applied.
      company_id: null,
      notification_id: null,
    }),
  ]);

const eventIsRefused = ({ sql, company }: CaseContext, id: string) =>
  sql`select outbound.record_refused_events(${[company.id]}, ${[id]})`;

const RECEPTION_PROVEN: Case[] = [
  { name: "an event of the account after the attempt", after: (t) => eventArrives(t), status: "queued" },
  {
    name: "an event about a template of the account after the attempt",
    after: ({ sql, company }) =>
      storeTemplateEvents(sql, [{
        ...{
          dedupe_key: "x",
          waba_id: company.sender.waba_id!,
          name: "a",
          language: "en",
          kind: "quality",
        },
        ...{ platform_template_id: null, status: null, reason: null, category: null, quality: "GREEN" },
        occurred_at: new Date().toISOString(),
      }]),
    status: "queued",
  },
  {
    name: "a probe that came back after the attempt",
    after: (t) => probeWebhook(t.sql, true),
    status: "queued",
  },
  {
    name: "an accepted event after a refused one",
    after: async (t) => {
      await eventIsRefused(t, t.id);
      await eventArrives(t);
    },
    status: "queued",
  },
  {
    name: "a refused event that names none of our messages",
    after: async (t) => {
      await probeWebhook(t.sql, true);
      await eventIsRefused(t, crypto.randomUUID());
    },
    status: "queued",
  },
  {
    name: "a probe that failed and then one that came back",
    after: async ({ sql }) => {
      await probeWebhook(sql, true);
      await probeWebhook(sql, false);
      await probeWebhook(sql, true);
    },
    status: "queued",
  },
  {
    name: "events that were looked at in vain",
    after: (t) => eventArrives(t),
    late: async ({ sql }) => {
      await sql`update outbound.platform_events
        set applied_at = null, received_at = now() - interval '1 hour', apply_at = now() - interval '70 seconds'`;
    },
    status: "queued",
  },
  {
    name: "an event of the account and failed probes, none of which ever came back",
    after: async (t) => {
      await eventArrives(t);
      await probeWebhook(t.sql, false);
    },
    status: "queued",
  },
];

const RECEPTION_UNPROVEN: Case[] = [
  { name: "nothing", status: "unconfirmed" },
  {
    name: "an event of the account before the attempt",
    before: (t) => eventArrives(t),
    status: "unconfirmed",
  },
  {
    name: "an event of another company's account",
    after: async (t) => {
      const other = await insertSendingCompany(t.sql);
      await eventArrives(t, other.sender.waba_id);
    },
    status: "unconfirmed",
  },
  {
    name: "a probe that came back before the attempt",
    before: async ({ sql }) => {
      await sql`update outbound.webhook_probe set begun_at = clock_timestamp(), returned_at = clock_timestamp()`;
    },
    status: "unconfirmed",
  },
  { name: "a probe that failed", after: ({ sql }) => probeWebhook(sql, false), status: "unconfirmed" },
  {
    name: "a probe that another database was asked to confirm",
    after: async ({ sql }) => {
      await sql`select outbound.begin_webhook_probe('0 s')`;
      await sql`select outbound.confirm_webhook_probe(${crypto.randomUUID()})`;
    },
    status: "unconfirmed",
  },
  {
    name: "a probe that came back and then one that failed",
    after: async ({ sql }) => {
      await probeWebhook(sql, true);
      await probeWebhook(sql, false);
    },
    status: "unconfirmed",
  },
  {
    name: "an event of the account, then a webhook that could be reached no more",
    after: async (t) => {
      await probeWebhook(t.sql, true);
      await eventArrives(t);
    },
    late: ({ sql }) => probeWebhook(sql, false),
    status: "unconfirmed",
  },
  {
    name: "a webhook that can be reached again only since a moment ago",
    after: ({ sql }) => probeWebhook(sql, true),
    late: async ({ sql }) => {
      await probeWebhook(sql, false);
      await probeWebhook(sql, true);
    },
    status: "unconfirmed",
  },
  {
    name: "a refused event of the account after a probe that came back",
    after: async (t) => {
      await probeWebhook(t.sql, true);
      await eventIsRefused(t, t.id);
    },
    status: "unconfirmed",
  },
  {
    name: "a refused event of the account, then a probe that came back",
    after: async (t) => {
      await eventIsRefused(t, t.id);
      await probeWebhook(t.sql, true);
    },
    status: "unconfirmed",
  },
  {
    name: "events that no dispatcher has applied yet",
    after: (t) => eventArrives(t),
    late: async ({ sql }) => {
      const at = sql`now() - interval '70 seconds'`;
      await sql`update outbound.platform_events set applied_at = null, received_at = ${at}, apply_at = ${at}`;
    },
    status: "unconfirmed",
  },
];

for (const { name, before, after, late, status } of [...RECEPTION_PROVEN, ...RECEPTION_UNPROVEN]) {
  Deno.test(`a message of unknown outcome is ${status} after its window, given ${name}`, () =>
    withTestDatabase(async ({ sql }) => {
      const company = await insertSendingCompany(sql);
      await before?.({ sql, company, id: crypto.randomUUID() });
      const { ids } = await enqueue(sql, company);
      await finish(sql, await claim(sql), { outcome: "unknown" });
      await after?.({ sql, company, id: ids[0]! });
      // Whatever was stored has long been applied, or looked at in vain.
      await sql`update outbound.platform_events set applied_at = now()`;
      await letTimePass(sql, SILENCE_S);
      await late?.({ sql, company, id: ids[0]! });

      const did = await tickWithoutProbe(sql);

      assert.deepEqual(await statusesOf(sql, ids), [status]);
      assert.deepEqual([did.resent, did.failed_unknown], [status === "queued" ? 1 : 0, 0]);
      await assertConserved(sql);
    }));
}

Deno.test("a message whose events cannot be received waits window by window, and is sent again once they can be", () =>
  withTestDatabase(async ({ sql }) => {
    const id = await sendIntoTheUnknown(sql);
    const silentTicks = [];
    for (let n = 0; n < 3; n++) {
      await letTimePass(sql, SILENCE_S);
      silentTicks.push(await tickWithoutProbe(sql), await tickWithoutProbe(sql));
    }
    await probeWebhook(sql, true);
    await letTimePass(sql, SILENCE_S);

    const lastTick = await tickWithoutProbe(sql);

    assert.deepEqual(silentTicks.map(({ resent }) => resent), [0, 0, 0, 0, 0, 0]);
    const [sender] = await sql`select company_id, waba_id from outbound.senders`;
    // Reported when its window ends, not at every tick.
    const reported = [{ ...sender, messages: 1, refused: false }];
    assert.deepEqual(silentTicks.map((did) => did.silent_accounts), [
      reported,
      undefined,
      reported,
      undefined,
      reported,
      undefined,
    ]);
    assert.equal(lastTick.resent, 1);
    assert.deepEqual(await statusesOf(sql, [id]), ["queued"]);
  }));

Deno.test("a message whose events cannot be received fails when its time to live is over, not later", () =>
  withTestDatabase(async ({ sql }) => {
    const { ids } = await enqueue(sql, await insertSendingCompany(sql), { ttlS: 200 });
    await finish(sql, await claim(sql), { outcome: "unknown" });
    await letTimePass(sql, SILENCE_S);
    await tickWithoutProbe(sql);
    await letTimePass(sql, 78);
    const early = await tickWithoutProbe(sql);
    await letTimePass(sql, 2);

    const late = await tickWithoutProbe(sql);

    assert.deepEqual([early.failed_unknown, late.failed_unknown], [0, 1]);
    const [state] = await statesOf(sql, ids);
    assert.deepEqual([state?.status, state?.error_code], ["failed", "outcome_unknown"]);
    await assertConserved(sql);
  }));

Deno.test("a message that is not to be sent again also fails only once its events could have been received", () =>
  withTestDatabase(async ({ sql }) => {
    const { ids } = await enqueue(sql, await insertSendingCompany(sql, { onUnknown: "hold" }));
    await finish(sql, await claim(sql), { outcome: "unknown" });
    await letTimePass(sql, SILENCE_S);
    await tickWithoutProbe(sql);
    const waiting = await statusesOf(sql, ids);
    await letTimePass(sql, SILENCE_S);
    await tickNow(sql);

    assert.deepEqual([...waiting, ...await statusesOf(sql, ids)], ["unconfirmed", "failed"]);
  }));

Deno.test("a platform that responds again is listened to for half a window before its silence counts", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company);
    await finish(sql, await claim(sql), { outcome: "unknown" });
    await sql`update outbound.sender_rate_state set failures = 5, blocked_until = now() + interval '1 second'`;
    await letTimePass(sql, SILENCE_S);
    const change = { company_id: company.id, sender_id: company.sender.id, change: "reached" };
    await sql`select outbound.adjust_senders(${sql.json([change])})`;

    await tickNow(sql);

    assert.deepEqual(await statusesOf(sql, ids), ["unconfirmed"]);
    await letTimePass(sql, SILENCE_S);
    await tickNow(sql);
    assert.deepEqual(await statusesOf(sql, ids), ["queued"]);
  }));

/** A time in which the platform's events cannot be received, from its start to its end. */
interface Outage {
  name: string;
  start(t: CaseContext): Promise<unknown>;
  goOn(t: CaseContext): Promise<unknown>;
  end(t: CaseContext): Promise<unknown>;
}

const refuse = (t: CaseContext) => eventIsRefused(t, t.id);
const OUTAGES: Outage[] = [
  {
    name: "probes that failed",
    start: async ({ sql }) => {
      await probeWebhook(sql, true);
      await probeWebhook(sql, false);
    },
    goOn: ({ sql }) => probeWebhook(sql, false),
    end: ({ sql }) => probeWebhook(sql, true),
  },
  {
    name: "refused events",
    start: async (t) => {
      await probeWebhook(t.sql, true);
      await refuse(t);
    },
    goOn: refuse,
    end: (t) => eventArrives(t),
  },
  {
    name: "a time without ticks",
    start: () => Promise.resolve(),
    goOn: ({ sql }) =>
      sql`update outbound.settings set updated_at = now() - interval '300 seconds' where name like 'last_tick:%'`,
    end: ({ sql }) => probeWebhook(sql, true),
  },
];

for (const { name, start, goOn, end } of OUTAGES) {
  Deno.test(`after ${name} the platform has as long again to repeat the events that were missed`, () =>
    withTestDatabase(async ({ sql }) => {
      const company = await insertSendingCompany(sql);
      const { ids } = await enqueue(sql, company);
      await finish(sql, await claim(sql), { outcome: "unknown" });
      const t = { sql, company, id: ids[0]! };
      await tickWithoutProbe(sql);
      await start(t);
      await letTimePass(sql, 300);
      await goOn(t);
      const resent = [(await tickWithoutProbe(sql)).resent];
      await end(t);
      for (let window = 0; window < 3; window++) {
        await sql`update outbound.platform_events set applied_at = now()`;
        await letTimePass(sql, SILENCE_S);
        resent.push((await tickWithoutProbe(sql)).resent);
      }

      assert.deepEqual(resent, [0, 0, 0, 1]);
    }));
}

Deno.test("12,000 unknown outcomes after ten minutes without a tick: none is sent again before it was listened for", () =>
  withTestDatabase(async ({ sql }) => {
    await tickWithoutProbe(sql);
    const company = await insertSendingCompany(sql, { sender: { rate_per_second: 1_000_000 } });
    const { ids } = await enqueue(sql, company, { count: 12_000 });
    await claim(sql, { limit: 12_000, leaseS: 1 });
    await sql`update outbound.queue
      set status = 'unconfirmed', worker = null, lease_until = now() where status = 'sending'`;
    await letTimePass(sql, 600);
    await sql`update outbound.settings set updated_at = updated_at - interval '10 minutes'
      where name like 'last_tick:%'`;

    const resent = [];
    for (let n = 0; n < 4; n++) resent.push((await tickWithoutProbe(sql)).resent);

    assert.deepEqual(resent, [0, 0, 0, 0]);
    const [row] = await sql`select count(*)::int from outbound.notifications where status = 'unconfirmed'`;
    assert.equal(row!.count, ids.length);
  }));
