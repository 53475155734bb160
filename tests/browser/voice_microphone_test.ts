import assert from "node:assert/strict";
import type { Frame } from "playwright-core";
import { eventually } from "../setup/eventually.ts";
import { skipped } from "../setup/skipped.ts";
import { assertAccessible } from "./browser_page.ts";
import { MICROPHONES } from "./microphones.ts";
import {
  startVoiceStack,
  type VoiceOptions,
  type VoiceStack,
  type VoiceWidgetPage,
  withVoiceWidget,
} from "./with_voice_widget.ts";

let stack: VoiceStack | undefined;

const SHARED = { sanitizeOps: false, sanitizeResources: false };

Deno.test.beforeAll(async () => {
  stack = await startVoiceStack();
});

Deno.test.afterAll(async () => {
  await stack?.close();
});

const LIVEKIT_STAND_IN = Deno.readTextFileSync(new URL("livekit_stand_in.js", import.meta.url));

const HELLO = "Hello, how can I help you?";

async function withWidget(
  what: string,
  fn: (widget: VoiceWidgetPage) => Promise<void>,
  options: VoiceOptions = {},
): Promise<void> {
  if (stack === undefined) return skipped(what, "no Chromium found");
  await withVoiceWidget(stack, async (widget) => {
    await widget.page.addInitScript(MICROPHONES);
    await fn(widget);
  }, options);
}

async function talk(widget: VoiceWidgetPage): Promise<Frame> {
  const frame = await widget.open();
  await frame.getByRole("button", { name: "Start talking" }).click();
  await frame.getByText(HELLO).waitFor();
  return frame;
}

async function type(frame: Frame, text: string): Promise<void> {
  await frame.locator(".composer input").fill(text);
  await frame.locator(".composer input").press("Enter");
}

const alert = (frame: Frame, text: string) => frame.getByRole("alert").filter({ hasText: text }).waitFor();

const live = (frame: Frame) =>
  frame.evaluate("opened.filter(({ readyState }) => readyState === 'live').length") as Promise<number>;

Deno.test(
  "voice widget: a microphone that is lost in mid-call is reported, typing goes on, and the next one is used",
  SHARED,
  () =>
    withWidget("a lost microphone", async (widget) => {
      const frame = await talk(widget);
      await frame.evaluate("unplug('NotFoundError')");
      await alert(frame, "The microphone has stopped working. Connect one, or type");
      await assertAccessible(frame);
      await type(frame, "search for returns");
      await frame.locator("li.agent", { hasText: "Nothing was found." }).waitFor();
      await alert(frame, "The microphone has stopped working");

      await frame.evaluate("plugIn()");
      await alert(frame, "You are using another microphone now");
      // Ours, and that of the platform's client.
      await eventually(async () => assert.equal(await live(frame), 2));

      await frame.evaluate("unplug('NotAllowedError')");
      await alert(frame, "Microphone access is blocked");
      await frame.evaluate("plugIn()");
      await alert(frame, "You are using another microphone now");
      await frame.getByRole("button", { name: "Hang up" }).click();
      await frame.locator(".status", { hasText: "The conversation has ended" }).waitFor();
      await eventually(async () => assert.equal(await live(frame), 0));
      assert.deepEqual(widget.complaints, []);
    }),
);

Deno.test(
  "voice widget: a microphone that is plugged in during a call is used, if it is the browser's choice, muted or not",
  SHARED,
  () =>
    withWidget("another microphone", async (widget) => {
      const frame = await talk(widget);
      await frame.getByRole("button", { name: "Mute the microphone" }).click();
      const before = await frame.evaluate("opened.length") as number;
      await frame.evaluate("plugIn()");
      await eventually(async () => assert.ok(await frame.evaluate("opened.length") as number > before));
      await eventually(async () => assert.equal(await live(frame), 2));
      assert.equal(await frame.locator(".alert").textContent(), "");

      await frame.evaluate(`navigator.mediaDevices.enumerateDevices().then((devices) => {
        const current = opened[0].getSettings().deviceId;
        preferred = devices.find(({ kind, deviceId }) =>
          kind === "audioinput" && deviceId !== current && deviceId !== "default" && !deviceId.startsWith("new-")).deviceId;
      })`);
      await frame.evaluate("plugIn()");
      await alert(frame, "You are using another microphone now");
      await frame.getByRole("button", { name: "Turn the microphone on" }).click();
      await eventually(async () =>
        assert.ok(
          await frame.evaluate(
            "opened.filter(({ readyState }) => readyState === 'live').every((track) => track.getSettings().deviceId === preferred)",
          ),
        )
      );
      assert.equal(await frame.locator(".alert").textContent(), "");
    }),
);

Deno.test(
  "voice widget: with a person, too, a lost microphone is reported and replaced, and sound that is held back plays on a press",
  SHARED,
  () =>
    withWidget("a lost microphone in a handoff", async (widget) => {
      const frame = await talk(widget);
      await frame.getByRole("button", { name: "Talk to a person" }).click();
      await frame.locator(".status", { hasText: "We are contacting someone for you" }).waitFor();
      await eventually(async () => assert.ok(await frame.evaluate("globalThis.livekit?.microphone")));
      await frame.evaluate("unplug('NotFoundError')");
      await alert(frame, "The microphone has stopped working");
      await frame.evaluate("plugIn()");
      await alert(frame, "You are using another microphone now");
      assert.equal(await frame.evaluate("livekit.restarts"), 1);

      await frame.getByRole("button", { name: "Mute the microphone" }).click();
      await frame.evaluate(
        "livekit.room.canPlaybackAudio = false, livekit.room.emit('audioPlaybackChanged')",
      );
      await alert(frame, "Your browser holds back the sound");
      await frame.locator("main").click();
      await eventually(async () => assert.equal(await frame.locator(".alert").textContent(), ""));
      await frame.getByRole("button", { name: "End the call" }).click();
      await frame.locator(".status", { hasText: "Your conversation with our colleague has ended" }).waitFor();
      assert.equal(await live(frame), 0);
    }, { livekitClient: LIVEKIT_STAND_IN }),
);

Deno.test(
  "voice widget: talks in a browser that knows no permission for microphones",
  SHARED,
  () =>
    withWidget("a browser without that permission", async (widget) => {
      await widget.page.addInitScript(
        `navigator.permissions && (navigator.permissions.query = () => Promise.reject(new TypeError("unknown name")))`,
      );
      await talk(widget);
    }),
);
