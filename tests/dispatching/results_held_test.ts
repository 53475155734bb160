import assert from "node:assert/strict";
import type postgres from "postgres";
import { statesOf, statusesOf } from "../setup/queue.ts";
import { collectLog } from "../setup/collect_log.ts";
import { eventually } from "../setup/eventually.ts";
import { assertSentOnce } from "./sent_once.ts";
import { eventuallyAll, numberOf, withDispatching } from "./with_dispatching.ts";

/** Longer than any test: what is lost shows as a message that stays `sending`. */
const LONG = { DISPATCH_LEASE_S: "600" };

/** From now on recording fails with this SQLSTATE; `tries` counts how often. */
async function failRecording(sql: postgres.Sql, sqlstate: string, onlyId?: string) {
  await sql.unsafe(`
    create sequence outbound.failed_tries;
    create function outbound.fail_recording() returns trigger language plpgsql as $$
    begin
      if ${onlyId ? `new.id = '${onlyId}'` : "true"} then
        perform nextval('outbound.failed_tries');
        raise exception 'injected' using errcode = '${sqlstate}';
      end if;
      return new;
    end $$;
    create trigger fail_recording before update on outbound.notifications
      for each row when (old.status = 'sending' and new.status in ('sent', 'failed')) execute function outbound.fail_recording();`);
  return {
    async tries(): Promise<number> {
      const [row] = await sql`select last_value::int, is_called from outbound.failed_tries`;
      return row!.is_called ? row!.last_value : 0;
    },
    async end() {
      await sql`drop trigger fail_recording on outbound.notifications`;
    },
  };
}

for (
  const [sqlstate, meaning] of [
    ["25006", "the database is read-only"],
    ["57014", "a statement takes too long"],
    ["55P03", "a lock is not to be had in time"],
    ["53100", "its disk is full"],
    ["58030", "its disk fails"],
    ["XX000", "an internal error"],
    ["42883", "a deployment is half done"],
  ] as const
) {
  Deno.test(`results that are refused with ${sqlstate} are held, and nothing new is sent: ${meaning}`, () =>
    withDispatching(async (t) => {
      await t.sandbox.configure({ webhooks: false });
      await t.sql`update outbound.senders set rate_per_second = 20`;
      const queued = await t.enqueue(40);
      const fault = await failRecording(t.sql, sqlstate);

      await t.running(async () => {
        await eventually(async () => assert.ok(await fault.tries() >= 4));
        const sent = (await t.taken()).size;
        // By then 1.75 s have passed: at 20 a second 35 would have left.
        assert.ok(sent <= 10, `${sent} were sent`);
        await t.sql`update outbound.senders set rate_per_second = 1000`;
        await fault.end();
        await eventuallyAll(t, queued, "sent", 20_000);
      });

      await assertSentOnce(t, queued.ids);
    }, LONG));
}

Deno.test("a result whose own data cannot be stored takes no other down, and is logged", () =>
  withDispatching(async (t) => {
    await t.sandbox.configure({ latency_ms: 100, webhooks: false });
    const { ids } = await t.enqueue(30);
    const [poisonous, ...others] = ids;
    await failRecording(t.sql, "22P05", poisonous);
    const { log, entries } = collectLog();

    await t.running(() => eventuallyAll(t, { campaignId: "", ids: others }, "sent"), { ...t.services, log });

    const dropped = entries.filter(({ level, message }) => level === "error" && /dropped/.test(message));
    assert.deepEqual(
      dropped.map(({ notification_id, company_id, outcome, code }) => [
        notification_id,
        company_id,
        outcome,
        code,
      ]),
      [[poisonous, t.company.id, "sent", "22P05"]],
    );
    assert.deepEqual(await statusesOf(t.sql, [poisonous!]), ["sending"]);
  }, LONG));

Deno.test("what a result says about its sender or template never keeps the result from being recorded", () =>
  withDispatching(async (t) => {
    await t.sandbox.configure({ webhooks: false });
    await t.sandbox.addFault({ match: { to: numberOf(0) }, fault: { code: 190 }, times: 1 });
    await t.sandbox.addFault({ match: { to: numberOf(1) }, fault: { code: 132001 }, times: 1 });
    await t.sandbox.addFault({ match: { to: numberOf(2) }, fault: { code: 132000 } });
    const { ids } = await t.enqueue(4);
    for (const name of ["adjust_senders", "stop_template", "request_template_sync", "settle_templates"]) {
      await t.sql.unsafe(`alter function outbound.${name} rename to ${name}_away`);
    }

    await t.running(async () => {
      await eventually(async () => {
        assert.deepEqual(await statusesOf(t.sql, ids), ["sent", "sent", "failed", "sent"]);
      });
    });

    assert.deepEqual((await statesOf(t.sql, ids)).map(({ attempt }) => attempt), [1, 1, 1, 1]);
  }, LONG));
