import assert from "node:assert/strict";
import { isSecretsKeyRight } from "../../supabase/functions/_shared/access/secrets_canary.ts";
import { createSealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { runDispatcher } from "../../supabase/functions/_shared/dispatching/dispatcher.ts";
import { settleTemplates } from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { heldOf } from "../control/campaign.ts";
import { collectLog } from "../setup/stack/collect_log.ts";
import { eventually } from "../setup/eventually.ts";
import { countersOf, statesOf, statusesOf } from "../setup/fixtures/queue.ts";
import { eventuallyAll, numberOf, withDispatching } from "./with_dispatching.ts";

Deno.test("a temporary refusal is retried by the schedule, up to five times", () =>
  withDispatching(async (t) => {
    await t.sandbox.addFault({ fault: { code: 131016 } });
    const queued = await t.enqueue(1);
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 4; attempt++) {
      await t.dispatch();
      const [state] = await statesOf(t.sql, queued.ids);
      assert.deepEqual([state?.status, state?.attempt, state?.error_code], ["queued", attempt, "131016"]);
      waits.push(state!.waits_s);
      await t.later(state!.waits_s + 1);
    }

    await t.dispatch();

    for (const [index, schedule] of [10, 40, 160, 640].entries()) {
      assert.ok(waits[index]! > schedule * 0.8 - 2 && waits[index]! < schedule * 1.2, `${waits}`);
    }
    const [state] = await statesOf(t.sql, queued.ids);
    assert.deepEqual([state?.status, state?.attempt], ["failed", 5]);
    assert.match(state!.error_reason!, /failed after 5 tries/);
    const attempts = await t
      .sql`select count(*)::int from outbound.delivery_history where outcome <> 'sent'`;
    assert.equal(attempts[0]?.count, 5);
  }));

Deno.test("a message goes to the platform although the database is not migrated to test companies yet", () =>
  withDispatching(async (t) => {
    const [{ text }] = await t.sql<[{ text: string }]>`
      select pg_get_functiondef(oid) as text from pg_proc where proname = 'lease_notifications'`;
    const before = text.replace(", 'test_account', p.test_account", "");
    assert.notEqual(before, text);
    await t.sql.unsafe(before);
    const queued = await t.enqueue(1);

    await t.dispatch();

    await eventuallyAll(t, queued, "read");
    assert.equal((await t.taken()).size, 1);
  }));

Deno.test("a message refused once goes out at its next attempt", () =>
  withDispatching(async (t) => {
    const codes = [1, 2, 131000, 131016, 131057, 133004];
    for (const [index, code] of codes.entries()) {
      await t.sandbox.addFault({ match: { to: numberOf(index) }, fault: { code }, times: 1 });
    }
    const queued = await t.enqueue(codes.length);

    await t.dispatch();
    const refused = await statusesOf(t.sql, queued.ids);
    await t.later(15);
    await t.dispatch();

    assert.deepEqual(refused, codes.map(() => "queued"));
    await eventuallyAll(t, queued, "read");
    assert.equal((await t.taken()).size, codes.length);
  }));

Deno.test("a refusal for good fails the message and nothing else", () =>
  withDispatching(async (t) => {
    const codes = [100, 131008, 131009, 131021, 131051, 132005, 132018, 130403, 135000];
    for (const [index, code] of codes.entries()) {
      await t.sandbox.addFault({ match: { to: numberOf(index) }, fault: { code } });
    }
    const { campaignId, ids } = await t.enqueue(codes.length + 1);

    await t.dispatch();

    const states = await statesOf(t.sql, ids.slice(0, codes.length));
    assert.deepEqual(
      states.map(({ status, error_code, attempt }) => [status, error_code, attempt]),
      codes.map((code) => ["failed", String(code), 1]),
    );
    assert.equal((await countersOf(t.sql, campaignId)).failed, codes.length);
    assert.equal((await t.taken()).size, 1);
    const [sender] = await t.sql`select status from outbound.senders`;
    assert.equal(sender?.status, "active");
  }));

Deno.test("a withdrawn token stops the sender; its messages wait untried until a member acts", () =>
  withDispatching(async (t) => {
    await t.sandbox.addFault({ fault: { code: 190 } });
    const queued = await t.enqueue(1000);

    await t.dispatch();

    const [sender] = await t.sql`select status, stopped_reason, stopped_code from outbound.senders`;
    assert.deepEqual([sender?.status, sender?.stopped_code], ["stopped", "190"]);
    assert.match(sender?.stopped_reason, /token/);
    const states = await statesOf(t.sql, queued.ids);
    assert.ok(states.every(({ status, attempt }) => status === "queued" && attempt === 0));
    const [attempts] = await t.sql`select count(*)::int from outbound.delivery_history`;
    // Requests under way when the first refusal came in; how many depends on the machine.
    assert.ok(attempts?.count <= 500, `${attempts?.count} attempts`);
    await t.sql`update outbound.senders set status = 'active', stopped_reason = null, stopped_code = null`;
    await fetch(`${t.sandbox.url}/sandbox/faults`, { method: "DELETE" }).then((answer) =>
      answer.body?.cancel()
    );
    await t.later(1);
    await t.dispatch();
    await eventuallyAll(t, queued, "read");
  }));

Deno.test("a token that cannot be opened sends nothing and stops no sender: another process may have the key", () =>
  withDispatching(async (t) => {
    const [sender] = await t.sql`select token_sealed from outbound.senders`;
    await t.sql`update outbound.senders set token_sealed = 'AAAA'`;
    const queued = await t.enqueue(3);
    const { log, lines } = collectLog();

    await t.running(async () => {
      await eventually(async () => {
        const rows = await t.sql`
          select distinct reason from outbound.delivery_history where outcome = 'not_sent'`;
        assert.deepEqual(rows.map(({ reason }) => reason), [
          "The sender's token cannot be opened: it is not a sealed text",
        ]);
      });
      await t.sql`update outbound.senders set token_sealed = ${sender!.token_sealed}`;
      await t.later(60);
      await eventuallyAll(t, queued, "read");
    }, { ...t.services, log });

    assert.deepEqual(lines("error"), ["a sender's token cannot be read"]);
    assert.equal((await t.sql`select status from outbound.senders`)[0]?.status, "active");
    assert.equal((await t.taken()).size, 3);
  }));

Deno.test("a dispatcher with another OUTBOUND_SECRETS_KEY than the database's claims nothing and says so", () =>
  withDispatching(async (t) => {
    const queued = await t.enqueue(3);
    await isSecretsKeyRight(t.services);
    const { log, lines } = collectLog();
    const wrong = { ...t.services, log, sealer: createSealer("x".repeat(40)) };

    await runDispatcher(wrong, { signal: new AbortController().signal, untilIdle: true });
    await t.running(async () => {
      await t.running(() => eventuallyAll(t, queued, "read"));
    }, wrong);

    assert.equal(new Set(lines("error")).size, 1);
    assert.match(
      lines("error")[0]!,
      /^dispatcher: nothing is sent\. OUTBOUND_SECRETS_KEY does not have the key/,
    );
    const attempts = await t
      .sql`select outcome, count(*)::int from outbound.delivery_history group by outcome`;
    assert.deepEqual([...attempts], [{ outcome: "sent", count: 3 }]);
    assert.equal((await t.sql`select status from outbound.senders`)[0]?.status, "active");
  }));

Deno.test("a sender without a token is stopped, and sends nothing", () =>
  withDispatching(async (t) => {
    await t.sql`update outbound.senders set token_sealed = null`;
    const { ids } = await t.enqueue(1);

    await t.dispatch();

    const [sender] = await t.sql`select status, stopped_reason from outbound.senders`;
    assert.deepEqual([sender?.status, sender?.stopped_reason], ["stopped", "The sender has no access token"]);
    assert.deepEqual(await statusesOf(t.sql, ids), ["queued"]);
    assert.equal((await t.taken()).size, 0);
  }));

const STOPS: [code: number, reason: RegExp][] = [
  [132001, /does not exist/],
  [132015, /paused/],
];

for (const [code, reason] of STOPS) {
  Deno.test(`a template the platform refuses with ${code} is taken out of use; its messages wait, untried`, () =>
    withDispatching(async (t) => {
      await t.sandbox.addFault({ fault: { code }, times: 1 });
      const queued = await t.enqueue(1);
      const scheduled = await t.enqueue(2, { dueInS: 3600 });

      await t.dispatch();

      const [state] = await statesOf(t.sql, queued.ids);
      assert.deepEqual([state?.status, state?.attempt, state?.error_code], ["queued", 0, String(code)]);
      assert.equal(await heldOf(t.sql, queued.campaignId), 1);
      assert.equal(await heldOf(t.sql, scheduled.campaignId), 2);
      assert.equal((await t.taken()).size, 0);
      const [template] = await t
        .sql`select status, rejected_reason from outbound.templates where id = ${t.template.id}`;
      assert.equal(template?.status, "disabled");
      assert.match(template?.rejected_reason, reason);
      await assert.rejects(() => t.enqueue(1), /stale/);

      await t.sql`select outbound.set_template_status(${t.company.id}, ${t.template.id}, 'approved')`;
      await settleTemplates(t.sql);
      await t.later(5);
      await t.dispatch();

      await eventuallyAll(t, queued, "read");
      assert.deepEqual([...(await t.taken()).values()], [1]);
    }));
}

for (const code of [132000, 132012]) {
  Deno.test(`one message refused with ${code} fails alone, and the account is looked at again`, () =>
    withDispatching(async (t) => {
      await t.sandbox.addFault({ fault: { code }, times: 1 });
      const { ids } = await t.enqueue(2);

      await t.dispatch();

      const states = (await statesOf(t.sql, ids)).map(({ status, error_code }) => [status, error_code]);
      assert.equal(states.filter(([, error]) => error === String(code)).length, 1);
      assert.equal(states.filter(([status]) => status === "failed").length, 1);
      const [template] = await t.sql`select status from outbound.templates where id = ${t.template.id}`;
      assert.equal(template?.status, "approved");
      const [sender] = await t.sql`select template_sync_requested from outbound.senders`;
      assert.equal(sender?.template_sync_requested, true);
    }));
}

Deno.test("a sender that is too fast goes at half the rate, and no attempt is burnt", () =>
  withDispatching(async (t) => {
    for (const code of [130429, 80007, 4]) {
      await t.sandbox.addFault({ fault: { code }, times: 1 });
      const queued = await t.enqueue(1);
      await t.sql`update outbound.sender_rate_state set throttle = 1, throttled_at = null`;

      await t.dispatch();
      const [pace] = await t.sql`select throttle from outbound.sender_rate_state`;
      assert.equal(pace?.throttle, 0.5);

      await t.later(3);
      await t.dispatch();
      await eventuallyAll(t, queued, "read");
      const [state] = await statesOf(t.sql, queued.ids);
      assert.deepEqual([state?.attempt, state?.fence], [1, 2]);
    }
  }));

Deno.test("one recipient's limit delays that recipient only", () =>
  withDispatching(async (t) => {
    await t.sandbox.addFault({ match: { to: numberOf(0) }, fault: { code: 131056 }, times: 1 });
    const queued = await t.enqueue(10);

    await t.dispatch();

    const [pace] = await t.sql`select throttle, failures from outbound.sender_rate_state`;
    assert.deepEqual(pace, { throttle: 1, failures: 0 });
    await t.later(2);
    await t.dispatch();
    await eventuallyAll(t, queued, "read");
    const states = await statesOf(t.sql, queued.ids);
    assert.ok(states[0]!.fence > 1);
    assert.deepEqual(states.slice(1).map(({ fence }) => fence), Array(9).fill(1));
  }));
