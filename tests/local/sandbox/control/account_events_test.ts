import assert from "node:assert/strict";
import type { JsonObject } from "../../../setup/http/http.ts";
import { eventually } from "../../../setup/eventually.ts";
import { withTempFolder } from "../../../setup/temp_folder.ts";
import { OTHER_NUMBER_ID, OTHER_TOKEN, sendBody, WABA_ID, withPlatform } from "../with_platform.ts";

const EVENTS = `accounts/${WABA_ID}/events`;
const ban = (waba_ban_state: string): JsonObject => ({
  field: "account_update",
  value: { event: "DISABLED_UPDATE", ban_info: { waba_ban_state } },
});

Deno.test("POST /sandbox/accounts/{id}/events reports the change as it is, each at a time of its own", () =>
  withPlatform(async ({ control, hooks }) => {
    const quality = {
      field: "phone_number_quality_update",
      value: { display_phone_number: "15550001111", event: "FLAGGED", current_limit: "TIER_1K" },
    };

    await control("POST", EVENTS, quality);
    await control("POST", EVENTS, quality);

    await eventually(() => assert.equal(hooks.received.flatMap(({ body }) => body.entry).length, 2));
    const [first, second] = hooks.received.flatMap(({ body }) => body.entry);
    assert.deepEqual([first.id, first.changes], [WABA_ID, [quality]]);
    assert.ok(second.time > first.time);
  }));

Deno.test("a banned account sends nothing until it is reinstated, and no other account is touched", () =>
  withPlatform(async ({ call, control, send }) => {
    await control("POST", EVENTS, ban("DISABLE"));
    const banned = await send();
    const other = await call("POST", `/${OTHER_NUMBER_ID}/messages`, {
      body: sendBody(),
      token: OTHER_TOKEN,
    });
    const account = await call("GET", `/${WABA_ID}?fields=status`);
    await control("POST", EVENTS, ban("REINSTATE"));

    assert.deepEqual([banned.status, banned.body.error.code], [403, 131031]);
    assert.deepEqual([other.status, account.body.status], [200, "DISABLED"]);
    assert.equal((await send()).status, 200);
  }));

Deno.test("a ban outlives the process", () =>
  withTempFolder(async (directory) => {
    await withPlatform(async ({ control }) => void await control("POST", EVENTS, ban("DISABLE")), {
      directory,
    });

    await withPlatform(async ({ send }) => assert.equal((await send()).body.error.code, 131031), {
      directory,
    });
  }));

Deno.test("POST /sandbox/accounts/{id}/events refuses what it does not know", () =>
  withPlatform(async ({ control }) => {
    const answers = [
      await control("POST", "accounts/999/events", ban("DISABLE")),
      await control("POST", EVENTS, { field: "messages", value: {} }),
      await control("POST", "inbound", { phone_number_id: "999", from: "573001112233", text: "Hi" }),
    ];

    assert.deepEqual(answers.map(({ status }) => status), [404, 400, 404]);
  }));
