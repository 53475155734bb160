import assert from "node:assert/strict";
import type { OpenChore } from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { startChores } from "../../../supabase/functions/_shared/dispatching/chores.ts";
import type { Services } from "../../../supabase/functions/_shared/services.ts";
import { collectLog } from "../../setup/stack/collect_log.ts";
import { eventually } from "../../setup/eventually.ts";

Deno.test("startChores() logs the name of each chore that fails, and the others go on", async () => {
  const { log, entries } = collectLog();
  let renewals = 0;
  const services = {
    env: {
      OUTBOUND_DISPATCH_LEASE_S: 0.03,
      OUTBOUND_UNCONFIRMED_WINDOW_S: 120,
      OUTBOUND_CALL_CHECK_AFTER_S: 60,
    },
    log,
    mediaStore: null,
    now: () => new Date(),
    sql: () => Promise.reject(new Error("The database is away")),
    applyEvents: () => Promise.reject(new Error("The database is away")),
  };

  const chores = startChores(services as unknown as Services, {
    lookout: { openChores: () => Promise.resolve(["tick", "events"]) },
    notifications: { renewLeases: () => Promise.resolve(void renewals++) },
    replies: { wake() {} },
    deliveries: { wake() {} },
    pushes: { wake() {} },
    agentReplies: { wake() {} },
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

Deno.test("startChores() runs what a look finds open, and of the rest only what goes by the clock", async () => {
  const statements: string[] = [];
  const open: OpenChore[][] = [[], ["replies"], []];
  let [looks, replies] = [0, 0];
  const services = {
    env: {
      OUTBOUND_DISPATCH_LEASE_S: 60,
      OUTBOUND_UNCONFIRMED_WINDOW_S: 120,
      OUTBOUND_CALL_CHECK_AFTER_S: 60,
    },
    log: collectLog().log,
    mediaStore: null,
    now: () => new Date(),
    sql: (strings: string[]) => {
      statements.push(strings.join("?").trim());
      return Promise.resolve([{ changed: 0 }]);
    },
    applyEvents: () => Promise.reject(new Error("no event waits")),
  };

  const chores = startChores(services as unknown as Services, {
    lookout: { openChores: () => Promise.resolve(open[looks++] ?? []) },
    notifications: { renewLeases: () => Promise.resolve() },
    replies: { wake: () => void replies++ },
    deliveries: { wake: () => assert.fail("no delivery waits") },
    pushes: { wake: () => assert.fail("no delivery waits") },
    agentReplies: { wake: () => assert.fail("no reply is owed") },
  });
  await eventually(() => Promise.resolve(assert.ok(looks > 4)));
  await chores.stop();

  assert.equal(replies, 1);
  assert.deepEqual(
    statements.map((text) => /take_accounts_to_sync|clean_up_when_due|settle_replies/.exec(text)?.[0]),
    [
      "take_accounts_to_sync",
      "clean_up_when_due",
      "settle_replies",
    ],
  );
});
