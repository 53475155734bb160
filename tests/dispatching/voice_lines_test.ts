import assert from "node:assert/strict";
import { senderTokenOf } from "../../supabase/functions/_shared/crypto/seal.ts";
import { calledNumber, goingOn } from "../setup/fixtures/calling_company.ts";
import { statesOf, statusesOf } from "../setup/fixtures/queue.ts";
import { eventually } from "../setup/eventually.ts";
import { eventuallyAll } from "./with_dispatching.ts";
import { withCalls } from "./with_calls.ts";

Deno.test("two dispatchers together never have more calls going on than the sender has lines", () =>
  withCalls(async (t) => {
    await t.sandbox.configureVoice({ talk_ms: 30 });
    const queued = await t.enqueueCalls({ count: 40 });

    await t.running(() => t.running(() => eventuallyAll(t, queued, "delivered", 20_000)));

    const { most_at_once, refused } = await t.sandbox.voiceStats();
    assert.ok(most_at_once <= 4 && most_at_once > 1, `${most_at_once} at once`);
    assert.deepEqual(refused, {});
    assert.equal((await t.sandbox.calls()).length, 40);
  }, { concurrency: 4 }));

Deno.test("a platform with fewer lines than we think has calls wait, costs them no attempt and halves the sender's lines", () =>
  withCalls(async (t) => {
    await t.sandbox.configureVoice({ concurrency: 1, talk_ms: 50 });
    const queued = await t.enqueueCalls({ count: 4 });

    await t.running(() => eventuallyAll(t, queued, "delivered", 20_000));

    const { most_at_once, refused } = await t.sandbox.voiceStats();
    assert.equal(most_at_once, 1);
    assert.ok(refused.concurrent_limit_exceeded > 0);
    assert.ok((await statesOf(t.sql, queued.ids)).every(({ attempt }) => attempt === 1));
    const [pace] = await t.sql`select throttle from outbound.sender_rate_state
      where sender_id = ${t.calling.sender.id}`;
    assert.ok(pace?.throttle < 1);
  }, { concurrency: 4 }));

Deno.test("while calls go on and all lines are taken, a dispatcher that is to stop when idle stops", () =>
  withCalls(async (t) => {
    await t.sandbox.configureVoice({ talk_ms: 3_600_000 });
    const { ids } = await t.enqueueCalls({ count: 3 });

    await t.dispatch();

    assert.deepEqual((await statusesOf(t.sql, ids)).toSorted(), ["queued", "sent", "sent"]);
    assert.equal(await goingOn(t.sql, t.calling.sender.id), 2);
  }, { concurrency: 2 }));

Deno.test("a campaign that names a number twice calls it again only after the company's gap", () =>
  withCalls(async (t) => {
    const number = calledNumber(0);
    const { ids } = await t.enqueueCalls({ numbers: [number, number, calledNumber(1)] });
    await t.running(() =>
      eventually(async () =>
        assert.deepEqual((await statusesOf(t.sql, ids)).toSorted(), ["delivered", "delivered", "queued"])
      )
    );
    const second = (await statesOf(t.sql, ids)).find(({ status }) => status === "queued")!;
    assert.ok(second.waits_s > 50 && second.waits_s <= 60, String(second.waits_s));
    assert.equal((await t.sandbox.calls({ to: number })).length, 1);

    await t.later(61);
    await t.running(() => eventuallyAll(t, { campaignId: "", ids }, "delivered"));

    assert.equal((await t.sandbox.calls({ to: number })).length, 2);
  }));

Deno.test("with a gap of none a number is called as often as it is named, at once", () =>
  withCalls(async (t) => {
    await t.sql`update outbound.companies set call_gap_s = 0`;
    const queued = await t.enqueueCalls({ numbers: [calledNumber(0), calledNumber(0)] });

    await t.running(() => eventuallyAll(t, queued, "delivered"));

    assert.equal((await t.sandbox.calls()).length, 2);
  }));

Deno.test("a key the platform does not take stops the sender and keeps the calls", () =>
  withCalls(async (t) => {
    const { id, company_id } = t.calling.sender;
    const another = await t.services.sealer.seal("another key", senderTokenOf(company_id, id));
    await t.sql`update outbound.senders set token_sealed = ${another} where channel = 'voice'`;
    const { ids } = await t.enqueueCalls({ count: 2 });

    await t.dispatch();

    const [sender] = await t.sql`select status from outbound.senders where channel = 'voice'`;
    assert.equal(sender?.status, "stopped");
    assert.ok(
      (await statesOf(t.sql, ids)).every(({ status, attempt }) => status === "queued" && attempt === 0),
    );
  }));

Deno.test("without a key of its own a sender calls with the service's", () =>
  withCalls(async (t) => {
    await t.sql`update outbound.senders set token_sealed = null where channel = 'voice'`;
    const services = {
      ...t.services,
      env: { ...t.services.env, ELEVENLABS_API_KEY: t.calling.sender.token },
    };
    const queued = await t.enqueueCalls();

    await t.running(() => eventuallyAll(t, queued, "delivered"), services);
  }));
