import assert from "node:assert/strict";
import { parseFrameMessage } from "../../../widget/loader/frame.ts";

Deno.test("parseFrameMessage() takes what is ours, and nothing besides", () => {
  const accepted = [
    { type: "outbound:ready" },
    { type: "outbound:get_state" },
    { type: "outbound:unread", count: 3 },
    { type: "outbound:message", author: "operator" },
    { type: "outbound:handoff" },
    { type: "outbound:store", name: "out:0f8fad5b-d9cb-469f-a165-70867728950e", value: "{}" },
    { type: "outbound:store", name: "conversation", value: null },
  ];

  for (const message of accepted) assert.deepEqual(parseFrameMessage({ ...message, extra: 1 }), message);
});

Deno.test("parseFrameMessage() refuses what is malformed or too much", () => {
  const refused = [
    null,
    "outbound:ready",
    {},
    { type: "ready" },
    { type: "outbound:unread" },
    { type: "outbound:unread", count: -1 },
    { type: "outbound:unread", count: NaN },
    { type: "outbound:message" },
    { type: "outbound:message", author: "stranger" },
    { type: "outbound:store", name: "a", value: 5 },
    { type: "outbound:store", name: "a" },
    { type: "outbound:store", name: "", value: "" },
    { type: "outbound:store", name: "a b", value: "" },
    { type: "outbound:store", name: "a".repeat(81), value: "" },
    { type: "outbound:store", name: "a", value: "x".repeat(30_001) },
  ];

  for (const message of refused) assert.equal(parseFrameMessage(message), undefined, JSON.stringify(message));
});
