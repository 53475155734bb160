import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { signVoiceWebhook } from "../../../../local/sandbox/voice/voice_webhook_sender.ts";
import { eventually } from "../../../setup/eventually.ts";
import { SECRET, withVoice } from "./with_voice.ts";

Deno.test("signVoiceWebhook() agrees with the platform's known signature", () => {
  const body = new TextEncoder().encode('{"type":"post_call_transcription","event_timestamp":1,"data":{}}');

  const signature = signVoiceWebhook("wsec_abc", body, 1739537297);

  assert.equal(signature, "t=1739537297,v0=550fd36b71b544008e3bf018a83666e718c6bd048fcfb908c121bedbed4813e9");
});

Deno.test("voice webhooks are signed over their raw bytes, with the present time", () =>
  withVoice(async ({ dial, hooks }) => {
    await dial();
    await eventually(() => assert.equal(hooks.received.length, 1));

    const { bytes, signature, body } = hooks.received[0]!;
    const seconds = Number(signature.match(/^t=(\d+),v0=[0-9a-f]{64}$/)![1]);
    const expected = createHmac("sha256", SECRET).update(`${seconds}.`).update(bytes).digest("hex");
    assert.ok(signature.endsWith(`v0=${expected}`));
    assert.ok(Math.abs(seconds - Date.now() / 1000) < 5);
    assert.ok(Math.abs(body.event_timestamp - seconds) <= 1);
  }));

Deno.test("voice webhooks say how long they are, for receivers that read no chunks", () =>
  withVoice(async ({ dial, hooks }) => {
    await dial();
    await eventually(() => assert.equal(hooks.received.length, 1));

    const { headers, bytes } = hooks.received[0]!;
    assert.deepEqual([headers.get("content-length"), headers.get("transfer-encoding")], [
      String(bytes.length),
      null,
    ]);
  }));

Deno.test("a voice webhook that is refused is not sent again", () =>
  withVoice(async ({ dial, hooks, calls, control }) => {
    hooks.status = 500;
    await dial();
    await eventually(async () => assert.deepEqual((await calls())[0]!.webhooks.map(wasDelivered), [false]));
    hooks.status = 200;
    await dial();
    await eventually(async () => assert.deepEqual((await calls())[1]!.webhooks.map(wasDelivered), [true]));

    assert.equal(hooks.received.length, 2);
    const { sent, pending, failed_posts } = (await control("GET", "voice/stats")).body.webhooks;
    assert.deepEqual([sent, pending, failed_posts], [1, 0, 1]);
  }));

Deno.test("settings: webhook_attempts repeats a voice webhook that is refused", () =>
  withVoice(async ({ dial, hooks, calls }) => {
    hooks.status = 503;
    await dial();
    await eventually(() => assert.ok(hooks.received.length >= 2));
    hooks.status = 200;

    await eventually(async () => assert.deepEqual((await calls())[0]!.webhooks.map(wasDelivered), [true]));
  }, { settings: { webhook_attempts: 20, webhook_retry_ms: 10 } }));

Deno.test("settings: with webhooks off calls happen and no webhook is sent", () =>
  withVoice(async ({ dial, hooks, calls }) => {
    await dial();
    await eventually(async () => assert.equal((await calls())[0]!.outcome, "answered"));

    assert.equal(hooks.received.length, 0);
  }, { settings: { webhooks: false } }));

function wasDelivered({ delivered }: { delivered: boolean }): boolean {
  return delivered;
}
