import assert from "node:assert/strict";
import { eventually } from "../../../setup/eventually.ts";
import type { JsonObject } from "../../../setup/http.ts";
import { type HookReceiver, voiceCaller, withHooks, withVoice } from "./with_voice.ts";

async function withDirectory(fn: (directory: string, hooks: HookReceiver) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "sandbox_voice_" });
  try {
    await withHooks((hooks) => fn(directory, hooks));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("journal: calls, transcripts and webhooks are there after a restart", () =>
  withDirectory(async (directory, hooks) => {
    let before: JsonObject[] = [];
    await withVoice(async ({ dial, calls }) => {
      for (const to_number of ["+573001112233", "+573001110101", "+573001110103"]) await dial({ to_number });
      await eventually(async () => {
        before = await calls();
        assert.ok(
          before.every(({ webhooks, responded_at }) => webhooks.length === 1 && responded_at !== null),
        );
      });
    }, { directory, hooks });

    await withVoice(async ({ calls, control }) => {
      assert.deepEqual(await calls(), before);
      const { active, most_at_once } = (await control("GET", "voice/stats")).body;
      assert.equal(active, 0);
      assert.ok(most_at_once >= 1);
    }, { directory, hooks });

    assert.equal(hooks.received.length, 3, "nothing is sent twice");
  }));

Deno.test("journal: a call that was going on goes on after a restart, and counts as one meanwhile", () =>
  withDirectory(async (directory, hooks) => {
    await withVoice(async ({ dial }) => void await dial(), { directory, hooks, settings: { ring_ms: 700 } });

    await withVoice(async ({ calls, control }) => {
      assert.equal((await control("GET", "voice/stats")).body.active, 1);
      await eventually(async () => assert.equal((await calls())[0]!.webhooks.length, 1));
      assert.equal((await control("GET", "voice/stats")).body.active, 0);
    }, { directory, hooks });

    assert.equal(hooks.received[0]!.body.data.transcript.length, 3);
  }));

Deno.test("journal: a call answered manually stays so after a restart", () =>
  withDirectory(async (directory, hooks) => {
    const settings = { manual: true, talk_ms: 500 };
    await withVoice(async ({ dial, control, calls }) => {
      const { body } = await dial();
      await control("POST", `calls/${body.conversation_id}/answer`);
      await eventually(async () => assert.equal((await calls())[0]!.status, "talking"));
    }, { directory, hooks, settings });

    await withVoice(async ({ calls }) => {
      await eventually(async () => assert.equal((await calls())[0]!.webhooks.length, 1));
      assert.equal((await calls())[0]!.outcome, "answered");
    }, { directory, hooks });
  }));

Deno.test("journal: evicted calls stay evicted, accounts added stay", () =>
  withDirectory(async (directory, hooks) => {
    await withVoice(async ({ dial, control }) => {
      await dial();
      assert.deepEqual((await control("DELETE", "calls")).body, { removed: 1 });
      await control("POST", "voice/accounts", { id: "late", apiKey: "key-c", agents: [], phoneNumbers: [] });
    }, { directory, hooks });

    await withVoice(async ({ call, calls }) => {
      assert.deepEqual(await calls(), []);
      assert.equal((await call("GET", "/v1/convai/agents", { key: "key-c" })).status, 200);
    }, { directory, hooks });
  }));

Deno.test("journal: every call that got a 200 response is in the ledger after kill -9", () =>
  withDirectory(async (directory, hooks) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", new URL("run_voice_sandbox.ts", import.meta.url).pathname],
      env: { SANDBOX_TEST_DIRECTORY: directory },
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const { dial } = voiceCaller(await firstLine(child.stdout));
    const answered: string[] = [];
    const callers = Array.from({ length: 8 }, async () => {
      for (;;) answered.push((await dial()).body.conversation_id);
    });
    await eventually(() => assert.ok(answered.length >= 100));

    child.kill("SIGKILL");
    await Promise.allSettled(callers);
    await child.status;

    await withVoice(async ({ calls }) => {
      const kept = new Set((await calls("limit=10000")).map(({ id }) => id));
      assert.deepEqual(answered.filter((id) => !kept.has(id)), []);
    }, { directory, hooks });
  }));

async function firstLine(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text.trim();
}
