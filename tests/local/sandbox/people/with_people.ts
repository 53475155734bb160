import assert from "node:assert/strict";
import { eventually } from "../../../setup/eventually.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import {
  type Answer,
  type HookReceiver,
  NUMBER_ID,
  sendBody,
  type TestPlatform,
  withPlatform,
} from "../with_platform.ts";

/** The person in these tests, who has a number in Colombia. */
export const ANA = "573001112233";

/** A sandbox whose phones act. */
export interface TestPeople extends TestPlatform {
  /** A person acts: `POST /sandbox/phones/{number}/{action}`. It must succeed. */
  act(number: string, action: string, body?: JsonObject): Promise<JsonObject>;
  /** Posts a body to the number's messages as it is. */
  post(body: JsonObject): Promise<Answer>;
  /** Sends `two_values` to a user id instead of a number. */
  sendTo(userId: string, changes?: JsonObject): Promise<Answer>;
  /** The person's user id in the first account. */
  userId(number?: string): Promise<string>;
  /** The values of all changes of a field that were reported. */
  changes(field: string): JsonObject[];
  /** Resolves with the reported statuses once there are so many. */
  statuses(count: number): Promise<JsonObject[]>;
}

/** Calls `fn` with a sandbox and functions for its people. */
export function withPeople(
  fn: (people: TestPeople) => Promise<void>,
  options: { directory?: string; hooks?: HookReceiver; settings?: JsonObject } = {},
): Promise<void> {
  return withPlatform((platform) => fn(peopleOf(platform)), options);
}

/** Adds the functions for people to a sandbox. */
function peopleOf(platform: TestPlatform): TestPeople {
  const { call, control, hooks } = platform;
  const post = (body: JsonObject) => call("POST", `/v25.0/${NUMBER_ID}/messages`, { body });
  return {
    ...platform,
    post,
    act: async (number, action, body = {}) => {
      const answer = await control("POST", `phones/${number}/${action}`, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    },
    sendTo: (recipient, changes = {}) => {
      const { to: _to, ...body } = sendBody({ recipient, ...changes });
      return post(body);
    },
    userId: async (number = ANA) => (await control("GET", `phones/${number}`)).body.user_ids["1000"],
    changes: (field) =>
      hooks.received.flatMap(({ body }) => body.entry).flatMap((entry) => entry.changes)
        .filter((change) => change.field === field).map(({ value }) => value),
    statuses: async (count) => {
      await eventually(() => assert.equal(hooks.statuses().length, count));
      return hooks.statuses();
    },
  };
}
