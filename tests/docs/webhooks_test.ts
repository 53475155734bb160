import assert from "node:assert/strict";
import { join } from "node:path";
import { EVENT_TYPES } from "../../supabase/functions/_shared/events_out/event_types.ts";
import { newSigningSecret, signEvent } from "../../supabase/functions/_shared/events_out/signing.ts";
import { withTempFolder } from "../setup/temp_folder.ts";

const page = await Deno.readTextFile(new URL("../../docs/webhooks.md", import.meta.url));

/** Starts a program that prints where it listens; resolves with that port. */
async function portOf(child: Deno.ChildProcess): Promise<number> {
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const port = /http:\/\/[^/]*:([0-9]+)/.exec(text)?.[1];
    if (port) {
      await reader.cancel();
      return Number(port);
    }
    const { value, done } = await reader.read();
    if (done) throw new Error(`It ended: ${text}`);
    text += value;
  }
}

Deno.test("docs/webhooks.md: the receiver runs, takes what is signed, and refuses what is not", () =>
  withTempFolder(async (folder) => {
    const [, code] = /<<'TS'\n([\s\S]*?)\nTS\n/.exec(page) ?? [];
    await Deno.writeTextFile(join(folder, "receiver.ts"), code!);
    const secret = newSigningSecret();
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-net", "--allow-env", "receiver.ts"],
      cwd: folder,
      env: { WEBHOOK_SECRET: secret, PORT: "0", NO_COLOR: "1" },
      stdout: "null",
      stderr: "piped",
    }).spawn();
    try {
      const url = `http://127.0.0.1:${await portOf(child)}/`;
      const payload = '{"type":"webhook.test"}';
      const send = (key: string) => {
        const headers = signEvent([key], { id: "evt_1", at: new Date(), payload });
        return fetch(url, { method: "POST", headers, body: payload });
      };
      const responses = [await send(secret), await send(newSigningSecret())];

      assert.deepEqual(responses.map(({ status }) => status), [204, 401]);
      for (const { body } of responses) await body?.cancel();
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
  }));

Deno.test("docs/webhooks.md describes every event and no other", () => {
  const described = [...page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` +\| /gm)].map(([, type]) => type);

  assert.deepEqual(described, [...EVENT_TYPES]);
});
