import assert from "node:assert/strict";
import { statesOf, statusesOf } from "../setup/fixtures/queue.ts";
import { eventually } from "../setup/eventually.ts";
import { numberOf, withDispatching } from "./with_dispatching.ts";

/** Longer than any test: what is lost shows as a message that stays `sending`. */
const LONG = { OUTBOUND_DISPATCH_LEASE_S: "600" };

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
