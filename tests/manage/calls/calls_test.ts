import assert from "node:assert/strict";
import { calledNumber } from "../../setup/fixtures/calling_company.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertCalls } from "./insert_calls.ts";
import { withManage } from "../with_manage.ts";

Deno.test("GET …/calls lists calls page by page, newest first, by outcome, number, campaign and whether they go on", () =>
  withManage(async (t) => {
    const { read, campaignId, answered, busy, ongoing, ids } = await insertCalls(t);
    const list = async (query: Record<string, string>) =>
      (await read("/calls", query)).body.calls.map((row: JsonObject) => row.notification_id);

    const first = (await read("/calls", { limit: "2" })).body;

    assert.deepEqual(first.calls.map((row: JsonObject) => row.notification_id), ids.slice(0, 2));
    assert.deepEqual(await list({ limit: "2", after: first.next }), ids.slice(2));
    assert.deepEqual(await list({ outcome: "busy" }), [busy]);
    assert.deepEqual(await list({ ongoing: "true" }), [ongoing]);
    assert.deepEqual(await list({ ongoing: "true", number: calledNumber(0) }), []);
    assert.deepEqual(await list({ number: calledNumber(0) }), [answered]);
    assert.deepEqual(await list({ number: calledNumber(0), outcome: "busy" }), []);
    assert.deepEqual(await list({ campaign_id: campaignId, after: ids[0]! }), ids.slice(1));
    assert.deepEqual(await list({ campaign_id: crypto.randomUUID() }), []);
    assert.equal((await t.read("/calls")).body.calls.length, 0, "another company");
  }));

Deno.test("GET …/calls/{notification_id} shows what was said", () =>
  withManage(async (t) => {
    const { read, answered, ongoing } = await insertCalls(t);

    const { body } = await read(`/calls/${answered}`);

    assert.deepEqual([body.outcome, body.duration_s, body.ongoing], ["answered", 42, false]);
    assert.deepEqual([body.summary, body.transcript], ["It went well.", [
      { role: "agent", message: "Hello", at_s: 0 },
    ]]);
    assert.equal((await read(`/calls/${ongoing}`)).body.transcript, null);
    assert.equal((await t.read(`/calls/${answered}`)).status, 404);
  }));

Deno.test("GET …/calls refuses filters of the wrong form", () =>
  withManage(async (t) => {
    for (
      const [name, value] of [
        ["outcome", "lost"],
        ["ongoing", "yes"],
        ["number", "x"],
        ["campaign_id", "1"],
        ["after", "1"],
      ]
    ) {
      const { status, body } = await t.read("/calls", { [name!]: value! });
      assert.deepEqual([status, body.details.field], [400, name]);
    }
  }));
