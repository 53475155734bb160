import assert from "node:assert/strict";
import { statesOf } from "../setup/fixtures/queue.ts";
import { eventuallyAll, numberOf, withDispatching } from "./with_dispatching.ts";

Deno.test("a message to a user id is sent and read, with the person's number hidden or not", () =>
  withDispatching(async (t) => {
    const first = await t.enqueue(2);
    await t.running(() => eventuallyAll(t, first, "read"));
    await t.sandbox.act(numberOf(1), "hide");
    const userIds = await Promise.all(
      [0, 1].map(async (index) => (await t.sandbox.phone(numberOf(index))).user_ids[t.sender.waba_id!]),
    );

    const queued = await t.enqueueTo(userIds.map((user_id) => ({ number: null, user_id })));
    await t.running(() => eventuallyAll(t, queued, "read"));

    const messages = await t.sandbox.messages({ limit: "10" });
    assert.deepEqual(
      messages.map(({ user_id, by_user_id }) => [user_id, by_user_id]).filter(([, byUserId]) => byUserId)
        .sort(),
      userIds.map((userId) => [userId, true]).sort(),
    );
    assert.equal((await statesOf(t.sql, queued.ids)).length, 2);
  }));

Deno.test("a message to a user id that no person has fails, and says why", () =>
  withDispatching(async (t) => {
    const queued = await t.enqueueTo([{ number: null, user_id: "BO.nobody" }]);

    await t.running(() => eventuallyAll(t, queued, "failed"));

    const [state] = await statesOf(t.sql, queued.ids);
    assert.match(state!.error_reason!, /\w/);
  }));
