import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { skipped } from "../setup/skipped.ts";
import { assertAccessible } from "./browser_page.ts";
import { open, send, shareHostPage } from "./host_page.ts";
import { findFirefox } from "./find_firefox.ts";
import { launchFirefox } from "./launch_firefox.ts";
import { SHARED } from "./widget_stack.ts";
import { startVoiceStack, type VoiceStack, withVoiceWidget } from "./with_voice_widget.ts";

const withChat = shareHostPage(() => launchFirefox());

let voice: VoiceStack | undefined;

/** There is a microphone, and the visitor refuses it. */
const REFUSED = { "media.navigator.streams.fake": true, "permissions.default.microphone": 2 };

/** Firefox complains of the icon that it looks for by itself. */
const isOfWidget = (complaint: string) => !complaint.includes("/favicon.ico");

Deno.test.beforeAll(async () => {
  if (await findFirefox() === undefined) return;
  voice = await startVoiceStack({ launch: async () => (await launchFirefox(REFUSED))! });
});

Deno.test.afterAll(async () => {
  await voice?.close();
});

Deno.test(
  "chat widget in Firefox: words both ways on a strict page, and after a reload",
  SHARED,
  () =>
    withChat("a chat in Firefox", async (host, { reply, conversation }) => {
      const { page, chat, complaints } = host;
      await open(host);
      await send(host, "Does <b>Firefox</b> work?");
      await reply("Does <b>Firefox</b> work?", "See https://example.com/a.");
      await chat.getByText("See https://example.com/a").waitFor();
      assert.equal(await chat.locator("li b").count(), 0);
      await assertAccessible(page.frames().at(-1)!);

      await page.reload();
      await open(host);
      await chat.getByText("See https://example.com/a").waitFor();
      await send(host, "It does");
      assert.deepEqual(await conversation("It does"), [
        "visitor: Does <b>Firefox</b> work?",
        "operator: See https://example.com/a.",
        "visitor: It does",
      ]);
      assert.deepEqual(complaints.filter(isOfWidget), []);
    }),
);

Deno.test(
  "chat widget in Firefox: messages written during an outage arrive once",
  SHARED,
  () =>
    withChat("an outage in Firefox", async (host, { conversation, halt, resume }) => {
      await open(host);
      await send(host, "Before the outage");
      await halt();
      await host.chat.getByText("Connection lost. Reconnecting").waitFor();
      await host.chat.getByRole("textbox").fill("During the outage");
      await host.chat.getByRole("textbox").press("Enter");
      await host.chat.locator("li.pending").waitFor();
      await resume();

      await eventually(async () => assert.equal(await host.chat.locator("li.pending").count(), 0));
      assert.deepEqual(await conversation("Before the outage"), [
        "visitor: Before the outage",
        "visitor: During the outage",
      ]);
    }),
);

Deno.test(
  "voice widget in Firefox: a refused microphone is explained, and writing does as well",
  SHARED,
  async () => {
    if (!voice) return skipped("the voice widget in Firefox", "no Firefox found");
    await withVoiceWidget(voice, async (widget) => {
      const frame = await widget.open();
      await frame.getByRole("button", { name: "Start talking" }).click();
      await frame.getByRole("alert").filter({ hasText: "Microphone access is blocked" }).waitFor();
      await assertAccessible(frame);
      assert.ok(!widget.requests.some((request) => request.includes("signed-url")));

      await frame.getByRole("button", { name: "Type instead" }).click();
      await frame.getByText("Hello, how can I help you?").waitFor();
      await frame.locator(".composer input").fill("search for returns");
      await frame.locator(".composer input").press("Enter");
      await frame.locator("li.agent", { hasText: "Nothing was found." }).waitFor();
      assert.deepEqual(widget.complaints.filter(isOfWidget), []);
    }, { microphone: "refused" });
  },
);
