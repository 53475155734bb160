import assert from "node:assert/strict";
import { startChores } from "../../../supabase/functions/_shared/dispatching/chores.ts";
import type { Services } from "../../../supabase/functions/_shared/services.ts";
import { collectLog } from "../../setup/collect_log.ts";
import { eventually } from "../../setup/eventually.ts";

Deno.test("startChores() logs the name of each chore that fails, and the others go on", async () => {
  const { log, entries } = collectLog();
  let renewals = 0;
  const services = {
    env: { DISPATCH_LEASE_S: 0.03, UNCONFIRMED_WINDOW_S: 120, CALL_CHECK_AFTER_S: 60 },
    log,
    now: () => new Date(),
    sql: () => Promise.reject(new Error("The database is away")),
    applyEvents: () => Promise.reject(new Error("The database is away")),
  };

  const chores = startChores(services as unknown as Services, {
    worker: { renewLeases: () => Promise.resolve(void renewals++) },
    replies: { send: () => Promise.resolve() },
  });
  await eventually(() => Promise.resolve(assert.ok(renewals > 2)));
  await chores.stop();
  const renewed = renewals;
  await new Promise((resolve) => setTimeout(resolve, 50));

  const failed = new Set(entries.map(({ message, chore }) => `${message}: ${chore}`));
  assert.ok(failed.has("a repeated chore failed: tick"), [...failed].join(", "));
  assert.ok(failed.has("a repeated chore failed: apply events of messages and calls"));
  assert.ok(!failed.has("a repeated chore failed: renew leases"));
  assert.equal(renewals, renewed, "a chore ran after stop()");
});
