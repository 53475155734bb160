import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import type { JsonObject } from "../../setup/http.ts";
import { startSandbox } from "../../../local/sandbox/start.ts";
import {
  APP_SECRET,
  caller,
  type HookReceiver,
  useTemplate,
  WABA_ID,
  withHooks,
  withPlatform,
} from "./with_platform.ts";

async function withDirectory(fn: (directory: string, hooks: HookReceiver) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "sandbox_journal_" });
  try {
    await withHooks((hooks) => fn(directory, hooks));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("journal: messages, statuses and responses are there after a restart", () =>
  withDirectory(async (directory, hooks) => {
    let before: JsonObject[] = [];
    await withPlatform(async ({ send, control }) => {
      await send({ biz_opaque_callback_data: "ref-1" });
      await send({ biz_opaque_callback_data: "ref-2" });
      await eventually(async () => {
        before = (await control("GET", "messages")).body.data;
        const reported = before.flatMap((message) => message.statuses).filter(({ webhook_at }) => webhook_at);
        assert.equal(reported.length, 6);
        assert.ok(before.every(({ answered_at }) => answered_at !== null));
      });
    }, { directory, hooks });
    const reported = hooks.statuses().length;

    await withPlatform(async ({ control }) => {
      const { data } = (await control("GET", "messages")).body;
      assert.deepEqual(withoutWebhookTimes(data), withoutWebhookTimes(before));
    }, { directory, hooks });

    assert.equal(hooks.statuses().length, reported, "nothing is sent twice");
  }));

Deno.test("journal: webhooks that were not delivered are sent after a restart", () =>
  withDirectory(async (directory, hooks) => {
    hooks.status = 500;
    await withPlatform(async ({ send }) => {
      await send({ biz_opaque_callback_data: "ref-1" });
      await eventually(() => assert.ok(hooks.received.length > 0));
    }, { directory, hooks });
    hooks.received.length = 0;
    hooks.status = 200;

    await withPlatform(async () => {
      await eventually(() => assert.equal(hooks.statuses().length, 3));
    }, { directory, hooks });

    assert.deepEqual(hooks.statuses().map(({ status }) => status), ["sent", "delivered", "read"]);
  }));

Deno.test("journal: statuses still to come true do so after a restart", () =>
  withDirectory(async (directory, hooks) => {
    const settings = { sent_ms: 0, delivered_ms: 700, read_ms: 700 };
    await withPlatform(async ({ send }) => {
      await send();
      await eventually(() => assert.equal(hooks.statuses().length, 1));
    }, { directory, hooks, settings });

    await withPlatform(async () => {
      await eventually(() => assert.equal(hooks.statuses().length, 3));
    }, { directory, hooks });

    assert.deepEqual(hooks.statuses().map(({ status }) => status), ["sent", "delivered", "read"]);
  }));

Deno.test("journal: templates made, changed and deleted, and accounts added, are there after a restart", () =>
  withDirectory(async (directory, hooks) => {
    const list = `/${WABA_ID}/message_templates`;
    let id = "";
    await withPlatform(async ({ call, control }) => {
      const body = {
        name: "fresh",
        language: "es",
        category: "UTILITY",
        components: [{ type: "BODY", text: "Hola." }],
      };
      id = (await call("POST", list, { body })).body.id;
      await control("PUT", `templates/${id}`, { status: "APPROVED" });
      await call("DELETE", `${list}?name=two_values`);
      await control("POST", "accounts", newAccount());
    }, { directory, hooks });

    await withPlatform(async ({ call, send }) => {
      assert.equal((await call("GET", `/${id}?fields=status`)).body.status, "APPROVED");
      assert.equal((await send({ template: useTemplate("fresh", [], "es") })).status, 200);
      assert.equal((await send()).body.error.code, 132001);
      assert.equal((await call("GET", "/3000", { token: "token-c" })).status, 200);
    }, { directory, hooks });
  }));

Deno.test("journal: a template's webhook that was not delivered is sent after a restart", () =>
  withDirectory(async (directory, hooks) => {
    hooks.status = 500;
    await withPlatform(async ({ call, control }) => {
      const { id } = (await call("GET", `/${WABA_ID}/message_templates?name=picture`)).body.data[0];
      await control("PUT", `templates/${id}`, { status: "PAUSED" });
      await eventually(() => assert.ok(hooks.received.length > 0));
    }, { directory, hooks });
    hooks.received.length = 0;
    hooks.status = 200;

    await withPlatform(async () => {
      await eventually(() => assert.equal(hooks.received.length, 1));
    }, { directory, hooks });

    assert.equal(hooks.received[0]!.body.entry[0].changes[0].value.event, "PAUSED");
  }));

Deno.test("journal: a last line cut short is dropped and writing goes on", () =>
  withDirectory(async (directory, hooks) => {
    await withPlatform(async ({ send }) => void await send(), { directory, hooks });
    await Deno.writeTextFile(`${directory}/journal.jsonl`, '{"t":"message","stored":{"mess€', {
      append: true,
    });

    await withPlatform(async ({ send, control }) => {
      assert.equal((await control("GET", "messages")).body.total, 1);
      await send();
    }, { directory, hooks });

    await withPlatform(async ({ control }) => {
      assert.equal((await control("GET", "messages")).body.total, 2);
    }, { directory, hooks });
  }));

Deno.test("journal: evicted messages stay evicted, templates stay", () =>
  withDirectory(async (directory, hooks) => {
    await withPlatform(async ({ send, call, control }) => {
      await send();
      await call("DELETE", `/${WABA_ID}/message_templates?name=picture`);
      assert.deepEqual((await control("DELETE", "messages")).body, { removed: 1 });
      await send();
    }, { directory, hooks });

    await withPlatform(async ({ call, control }) => {
      assert.equal((await control("GET", "messages")).body.total, 1);
      assert.deepEqual((await call("GET", `/${WABA_ID}/message_templates?name=picture`)).body.data, []);
    }, { directory, hooks });
  }));

Deno.test("journal: what got a 200 response survives kill -9", () =>
  withDirectory(async (directory, hooks) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", new URL("run_sandbox.ts", import.meta.url).pathname],
      env: { SANDBOX_TEST_DIRECTORY: directory },
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const url = await firstLine(child.stdout);
    const { send } = caller(url);
    const answered: string[] = [];
    const senders = Array.from({ length: 8 }, async () => {
      for (;;) answered.push((await send()).body.messages[0].id);
    });
    await eventually(() => assert.ok(answered.length >= 100));

    child.kill("SIGKILL");
    await Promise.allSettled(senders);
    await child.status;

    await withPlatform(async ({ control }) => {
      const { data } = (await control("GET", "messages?limit=10000")).body;
      const kept = new Set(data.map(({ id }: { id: string }) => id));
      assert.deepEqual(answered.filter((id) => !kept.has(id)), []);
    }, { directory, hooks });
  }));

Deno.test("startSandbox() fails on a port in use and leaves nothing open", async () => {
  const first = await startSandbox({ port: 0, webhookUrl: null, appSecret: APP_SECRET, accounts: [] });
  try {
    const port = Number(new URL(first.url).port);
    await assert.rejects(startSandbox({ port, webhookUrl: null, appSecret: APP_SECRET, accounts: [] }), {
      code: "EADDRINUSE",
    });
  } finally {
    await first.close();
  }
});

function newAccount(): JsonObject {
  return {
    wabaId: "1002",
    token: "token-c",
    numbers: [{ phoneNumberId: "3000", displayNumber: "15550003333", verifiedName: "Third Traders" }],
  };
}

/** The moment a webhook was recorded is not kept to the millisecond. */
function withoutWebhookTimes(messages: JsonObject[]): JsonObject[] {
  return messages.map((message) => ({
    ...message,
    statuses: message.statuses.map(({ webhook_at, ...status }: JsonObject) => [status, webhook_at !== null]),
  }));
}

async function firstLine(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text.trim();
}
