import assert from "node:assert/strict";
import type { Frame } from "playwright-core";
import { eventually } from "../setup/eventually.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { skipped } from "../setup/skipped.ts";
import { assertAccessible } from "./browser_page.ts";
import {
  startVoiceStack,
  type VoiceOptions,
  type VoiceStack,
  type VoiceWidgetPage,
  withVoiceWidget,
} from "./with_voice_widget.ts";

let stack: VoiceStack | undefined;

/** Servers and browsers that start before the first test live until after the last one. */
const SHARED = { sanitizeOps: false, sanitizeResources: false };

Deno.test.beforeAll(async () => {
  stack = await startVoiceStack();
});

Deno.test.afterAll(async () => {
  await stack?.close();
});

async function withWidget(
  what: string,
  fn: (widget: VoiceWidgetPage) => Promise<void>,
  options: VoiceOptions = {},
): Promise<void> {
  if (stack === undefined) return skipped(what, "no Chromium found");
  await withVoiceWidget(stack, fn, options);
}

const LIVEKIT_STAND_IN = Deno.readTextFileSync(new URL("livekit_stand_in.js", import.meta.url));

const HELLO = "Hello, how can I help you?";

/** The labels of the visible buttons. */
function actions(frame: Frame): Promise<string[]> {
  return frame.locator(".actions button:visible").allInnerTexts();
}

function write(frame: Frame, text: string): Promise<void> {
  return frame.locator(".composer input").fill(text).then(() =>
    frame.locator(".composer input").press("Enter")
  );
}

Deno.test(
  "voice widget: a conversation on a strict third-party page, to its end and its rating",
  SHARED,
  () =>
    withWidget("a voice session", async (widget) => {
      await widget.sandbox("PUT", "/settings", { hear_after_ms: 300 });
      const frame = await widget.open();
      await widget.screenshot("1-idle");
      assert.ok(!widget.requests.some((request) => request.includes("signed-url")));

      await frame.getByRole("button", { name: "Start talking" }).click();

      await frame.getByText(HELLO).waitFor();
      await frame.locator(".status", { hasText: "Speaking" }).waitFor();
      await eventually(async () => {
        const level = await frame.evaluate(
          `document.querySelector(".orb").style.getPropertyValue("--level")`,
        );
        assert.ok(Number(level) > 0.02, `level ${level}`);
      });
      await widget.screenshot("2-speaking");
      await frame.locator("li.user", { hasText: "What are your opening hours?" }).waitFor();
      await assertAccessible(frame);
      await frame.getByRole("button", { name: "Mute the microphone" }).click();
      await frame.getByRole("button", { name: "Turn the microphone on" }).waitFor();
      await widget.screenshot("3-heard");
      await write(frame, "<b>bye</b>");
      await frame.locator(".status", { hasText: "The conversation has ended" }).waitFor();
      assert.equal(await frame.locator("li.user", { hasText: "<b>bye</b>" }).count(), 1);
      assert.equal(await frame.locator("li b").count(), 0);
      await frame.getByRole("radio", { name: "4 stars" }).check();
      await frame.getByLabel("Tell us more (optional)").fill("Quick");
      await widget.screenshot("4-feedback");
      await assertAccessible(frame);
      await frame.locator(".feedback").getByRole("button", { name: "Send" }).click();
      await frame.locator(".status", { hasText: "Thank you" }).waitFor();

      const [feedback] = await widget
        .sql`select rating, comment from outbound.voice_feedback where widget_id = ${widget.widgetId}`;
      assert.deepEqual({ ...feedback }, { rating: 4, comment: "Quick" });
      const thirdParty = widget.requests.filter((request) =>
        !/ (http|blob:http):\/\/(localhost|127\.0\.0\.1):/.test(request)
      );
      assert.deepEqual(thirdParty, []);
      assert.deepEqual(widget.complaints, []);
    }),
);

Deno.test(
  "voice widget: a refused microphone is explained, and writing does as well",
  SHARED,
  () =>
    withWidget("a refused microphone", async (widget) => {
      const frame = await widget.open();
      await frame.getByRole("button", { name: "Empezar a hablar" }).click();

      await frame.getByRole("alert").filter({ hasText: "No se puede usar el micrófono" }).waitFor();
      assert.deepEqual(await actions(frame), ["Intentar de nuevo", "Escribir"]);
      await widget.screenshot("5-refused");
      await assertAccessible(frame);
      assert.ok(!widget.requests.some((request) => request.includes("signed-url")));
      await frame.getByRole("button", { name: "Escribir" }).click();
      await frame.getByText(HELLO).waitFor();
      assert.equal(await frame.evaluate(`document.activeElement.placeholder`), "Escriba en lugar de hablar");
      await write(frame, "search for returns");
      await frame.locator("li.agent", { hasText: "Nothing was found." }).waitFor();

      const box = await widget.page.locator("[data-outbound-widget] iframe").boundingBox();
      assert.ok(box!.x < 100);
      const look = await frame.evaluate(`({
      language: document.documentElement.lang,
      title: document.querySelector("h1").textContent,
      primary: getComputedStyle(document.querySelector("header")).backgroundColor,
      close: document.querySelectorAll("header button").length,
    })`);
      assert.deepEqual(look, {
        language: "es",
        title: "<i>Tienda</i>",
        primary: "rgb(18, 52, 86)",
        close: 0,
      });
    }, {
      microphone: "refused",
      attributes: { lang: "es", "show-close": "false" },
      config: {
        colors: { primary: "#123456" },
        position: { placement: "bottom-left" },
        texts: { es: { title: "<i>Tienda</i>" } },
      },
    }),
);

Deno.test(
  "voice widget: no microphone, a refused session, a lost connection and a platform that is down",
  SHARED,
  () =>
    withWidget("what goes wrong in a voice session", async (widget) => {
      const frame = await widget.open();
      await frame.getByRole("button", { name: "Start talking" }).click();
      await frame.getByRole("alert").filter({ hasText: "No microphone was found" }).waitFor();

      await widget.sandbox("POST", "/faults", { refuse: { code: 1008, reason: "agent not found" } });
      await frame.getByRole("button", { name: "Type instead" }).click();
      await frame.getByRole("alert").filter({ hasText: "is not available right now" }).waitFor();
      assert.deepEqual(await actions(frame), ["Try again", "Type instead"]);

      await widget.sandbox("POST", "/faults", { http: 503 });
      await frame.getByRole("button", { name: "Try again" }).click();
      await eventually(async () => assert.deepEqual((await widget.sandbox("GET", "/faults")).data, []));
      await frame.getByRole("alert").filter({ hasText: "is not available right now" }).waitFor();

      await widget.sandbox("POST", "/faults", { drop_after_ms: 300 });
      await frame.getByRole("button", { name: "Try again" }).click();
      await frame.getByText(HELLO).waitFor();
      await frame.getByRole("alert").filter({ hasText: "The connection was lost" }).waitFor();
      await widget.screenshot("6-lost");
      assert.deepEqual(await actions(frame), ["Try again", "Type instead", "Talk to a person"]);

      await widget.sandbox("POST", "/faults", { metadata_ms: 60_000 });
      await frame.getByRole("button", { name: "Try again" }).click();
      await frame.getByText("Connecting").first().waitFor();
      await eventually(async () => assert.deepEqual((await widget.sandbox("GET", "/faults")).data, []));
      await frame.getByRole("button", { name: "Hang up" }).click();
      await frame.getByText("Talk to our assistant").waitFor();

      await frame.getByRole("button", { name: "Type instead" }).click();
      await frame.getByText(HELLO).waitFor();
      await widget.page.context().setOffline(true);
      await frame.getByRole("alert").filter({ hasText: "The connection was lost" }).waitFor();
      await widget.page.context().setOffline(false);

      await frame.getByRole("button", { name: "Try again" }).click();
      await frame.getByText(HELLO).waitFor();
      await widget.page.locator("[data-outbound-widget] button.button").click();
      await frame.locator(".status", { hasText: "The conversation has ended" }).waitFor({
        state: "attached",
      });
      await eventually(async () => {
        const { data } = await widget.sandbox("GET", "");
        assert.equal((data as JsonObject[]).at(-1)!.status, "done");
      });
    }, { microphone: "missing" }),
);

Deno.test(
  "voice widget: a person takes over, and leaves again",
  SHARED,
  () =>
    withWidget("a handoff", async (widget) => {
      const frame = await widget.open();
      await frame.getByRole("button", { name: "Start talking" }).click();
      await frame.getByText(HELLO).waitFor();
      await frame.evaluate("livekitDoor = new Promise((open) => openDoor = open), 0");
      await widget.page.evaluate(`{
        globalThis.handoffs = [];
        addEventListener("outbound:handoff", ({ detail }) => handoffs.push(detail));
      }`);
      await frame.getByRole("button", { name: "Talk to a person" }).click();

      await frame.locator(".status", { hasText: "We are contacting someone for you" }).waitFor();
      await widget.screenshot("7-waiting");
      const [waiting] = await widget
        .sql`select status, conversation_id from outbound.handoffs where widget_id = ${widget.widgetId}`;
      assert.equal(waiting!.status, "waiting");
      assert.match(waiting!.conversation_id, /^conv_/);
      await frame.getByRole("button", { name: "Mute the microphone" }).click();
      await frame.evaluate("openDoor()");
      await eventually(async () => {
        assert.equal(await frame.evaluate("globalThis.livekit?.microphone"), false);
      });
      await frame.getByRole("button", { name: "Turn the microphone on" }).click();
      assert.equal(await frame.evaluate("livekit.microphone"), true);
      await frame.evaluate(
        `livekit.room.remoteParticipants.set("operator-1", {}); livekit.room.emit("participantConnected")`,
      );
      await frame.locator(".status", { hasText: "You are talking to a person" }).waitFor();
      await frame.getByRole("button", { name: "Mute the microphone" }).click();
      assert.equal(await frame.evaluate("livekit.microphone"), false);
      await frame.evaluate(
        `livekit.room.remoteParticipants.clear(); livekit.room.emit("participantDisconnected")`,
      );
      await frame.locator(".status", { hasText: "Your conversation with our colleague has ended" }).waitFor();

      await eventually(async () => {
        const [over] = await widget
          .sql`select status from outbound.handoffs where widget_id = ${widget.widgetId}`;
        assert.equal(over!.status, "ended");
      });
      assert.equal(await frame.evaluate("livekit.left"), true);
      const handoffs = await widget.page.evaluate("handoffs");
      assert.deepEqual(handoffs, [{ widget: widget.widgetId, mode: "voice" }]);
      await frame.getByRole("button", { name: "Back to the assistant" }).click();
      await frame.getByText(HELLO).waitFor();
      assert.deepEqual(widget.complaints, []);
    }, { livekitClient: LIVEKIT_STAND_IN }),
);

Deno.test(
  "voice widget: a handoff whose connection breaks says so, and ends when it does not come back",
  SHARED,
  () =>
    withWidget("a handoff that breaks", async (widget) => {
      const frame = await widget.open();
      await frame.getByRole("button", { name: "Start talking" }).click();
      await frame.getByText(HELLO).waitFor();
      await frame.getByRole("button", { name: "Talk to a person" }).click();
      await frame.locator(".status", { hasText: "We are contacting someone for you" }).waitFor();
      await frame.evaluate(
        `livekit.room.remoteParticipants.set("operator-1", {}); livekit.room.emit("participantConnected")`,
      );
      await frame.locator(".status", { hasText: "You are talking to a person" }).waitFor();

      const change = (state: string) =>
        frame.evaluate(`livekit.room.emit("connectionStateChanged", "${state}")`);
      await change("signalReconnecting");
      await frame.locator(".status", { hasText: "The connection was interrupted" }).waitFor();
      await change("reconnecting");
      await change("connected");
      await frame.locator(".status", { hasText: "You are talking to a person" }).waitFor();
      await change("reconnecting");
      await change("disconnected");
      await frame.evaluate(`livekit.room.emit("disconnected", undefined)`);

      await frame.getByRole("alert").filter({ hasText: "The connection was lost" }).waitFor();
      assert.deepEqual(await actions(frame), ["Try again", "Type instead", "Talk to a person"]);
    }, { livekitClient: LIVEKIT_STAND_IN }),
);

Deno.test(
  "voice widget: a company that closes the room ends the talk, and loses no connection",
  SHARED,
  () =>
    withWidget("a handoff that is closed", async (widget) => {
      const frame = await widget.open();
      await frame.getByRole("button", { name: "Start talking" }).click();
      await frame.getByText(HELLO).waitFor();
      await frame.getByRole("button", { name: "Talk to a person" }).click();
      await frame.locator(".status", { hasText: "We are contacting someone for you" }).waitFor();
      await eventually(async () => assert.ok(await frame.evaluate("globalThis.livekit?.microphone")));

      await frame.evaluate(`livekit.room.emit("disconnected", 5)`);

      await frame.locator(".status", { hasText: "Your conversation with our colleague has ended" }).waitFor();
    }, { livekitClient: LIVEKIT_STAND_IN }),
);

Deno.test(
  "voice widget: a session ends with its time, and the day's last one is followed by kind words",
  SHARED,
  () =>
    withWidget("the limits of sessions", async (widget) => {
      await widget
        .sql`update outbound.widgets set max_voice_sessions_per_day = 1 where id = ${widget.widgetId}`;
      await widget.page.route("**/voice-widget/signed-url?*", async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        const json = response.ok() ? { ...body, max_session_s: 1 } : body;
        await route.fulfill({ response, json });
      });
      const frame = await widget.open();
      await frame.getByRole("button", { name: "Start talking" }).click();
      await frame.getByText(HELLO).waitFor();

      await frame.locator(".status", { hasText: "This conversation has reached its time limit" }).waitFor();
      await eventually(async () => {
        const { data } = await widget.sandbox("GET", "");
        assert.equal((data as JsonObject[]).at(-1)!.status, "done");
      });
      await frame.getByRole("button", { name: "Talk again" }).click();
      await frame.getByRole("alert").filter({ hasText: "has reached its limit for today" }).waitFor();
      await assertAccessible(frame);
    }),
);

Deno.test(
  "voice widget: a room that cannot be entered leads back to the assistant",
  SHARED,
  () =>
    withWidget("a handoff that fails", async (widget) => {
      const frame = await widget.open();
      await frame.getByRole("button", { name: "Start talking" }).click();
      await frame.getByText(HELLO).waitFor();
      assert.ok(!widget.requests.some((request) => request.includes("livekit-client")));
      await frame.getByRole("button", { name: "Talk to a person" }).click();

      await frame.getByRole("alert").filter({ hasText: "No one is available right now" }).waitFor();
      await widget.screenshot("8-unavailable");
      assert.deepEqual(await actions(frame), ["Talk to a person", "Back to the assistant"]);
      await eventually(async () => {
        const [over] = await widget
          .sql`select status from outbound.handoffs where widget_id = ${widget.widgetId}`;
        assert.equal(over!.status, "ended");
      });
      await frame.getByRole("button", { name: "Back to the assistant" }).click();
      await frame.getByText(HELLO).waitFor();
    }),
);

Deno.test(
  "voice widget: by keyboard alone, at 320 pixels, without motion",
  SHARED,
  () =>
    withWidget("the voice widget at 320 pixels", async (widget) => {
      const { page } = widget;
      const focused = (frame: Frame) => frame.evaluate(`document.activeElement.innerText`);
      await page.locator("[data-outbound-widget] button").waitFor();
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      const frame = await (await page.waitForSelector("[data-outbound-widget] iframe"))
        .contentFrame() as Frame;
      await frame.getByRole("button", { name: "Start talking" }).waitFor();
      await eventually(async () => {
        await page.keyboard.press("Tab");
        assert.equal(await focused(frame), "Start talking");
      });
      await page.keyboard.press("Enter");
      await frame.getByText(HELLO).waitFor();
      assert.equal(await focused(frame), "Hang up");
      const { width, animation, level } = await frame.evaluate(`({
      width: document.documentElement.scrollWidth - innerWidth,
      animation: getComputedStyle(document.querySelector(".ball")).animationName,
      level: document.querySelector(".orb").style.getPropertyValue("--level"),
    })`) as Record<string, unknown>;
      await widget.screenshot("9-320");
      assert.deepEqual({ width, animation, level: Number(level) }, { width: 0, animation: "none", level: 0 });

      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("Shift+Tab");
      assert.equal(await focused(frame), "Mute the microphone");
      await page.keyboard.press("Enter");
      assert.equal(await focused(frame), "Turn the microphone on");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await frame.getByRole("radio", { name: "1 stars" }).waitFor();
      assert.equal(await focused(frame), "Talk again");
      await widget.screenshot("10-320-feedback");
      await page.keyboard.press("Escape");
      await page.locator("[data-outbound-widget] iframe").waitFor({ state: "hidden" });
    }, { context: { viewport: { width: 320, height: 640 }, reducedMotion: "reduce" } }),
);

Deno.test(
  "voice widget: with our server down, it says so and the page stays as it was",
  SHARED,
  () =>
    withWidget("the voice widget without a server", async (widget) => {
      const frame = await widget.open();

      await frame.getByRole("alert").filter({ hasText: "Gerade nicht erreichbar" }).waitFor();
      await frame.getByRole("button", { name: "Noch einmal" }).click();
      await frame.getByRole("button", { name: "Schließen" }).click();
      await widget.page.locator("[data-outbound-widget] iframe").waitFor({ state: "hidden" });
      await widget.page.getByRole("button", { name: "Buy" }).click();
    }, { attributes: { api: "http://127.0.0.1:9/functions/v1", lang: "de" } }),
);

Deno.test(
  "voice widget: by WebRTC where its configuration says so, and plain words when that fails",
  SHARED,
  () =>
    withWidget("a voice session by WebRTC", async (widget) => {
      const rooms: string[] = [];
      await widget.page.routeWebSocket(/livekit\.rtc\.elevenlabs\.io/, (socket) => {
        rooms.push(new URL(socket.url()).host);
        socket.close({ code: 1011 });
      });
      await widget.page.route(/livekit\.rtc\.elevenlabs\.io/, (route) => route.abort());
      const frame = await widget.open();
      await frame.getByRole("button", { name: "Start talking" }).click();

      await frame.getByRole("alert").filter({ hasText: "is not available right now" }).waitFor();
      assert.equal(rooms[0], "livekit.rtc.elevenlabs.io");

      await frame.getByRole("button", { name: "Type instead" }).click();
      await frame.getByText(HELLO).waitFor();
    }, { config: { connection: "webrtc" } }),
);

Deno.test(
  "voice widget: is dark where the company says so, with its logo in the title",
  SHARED,
  () =>
    withWidget("a dark voice assistant", async (widget) => {
      const frame = await widget.open();
      await widget.screenshot("11-dark");
      assert.equal(
        await frame.evaluate("getComputedStyle(document.body).backgroundColor"),
        "rgb(16, 32, 48)",
      );
      assert.equal(await frame.locator("header img").count(), 1);
      await assertAccessible(frame);
    }, {
      config: {
        appearance: "dark",
        dark_colors: { background: "#102030" },
        logo: "data:image/png;base64," +
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      },
    }),
);
