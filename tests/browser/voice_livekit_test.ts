import assert from "node:assert/strict";
import type { Frame, Page } from "playwright-core";
import { insertKey } from "../setup/fixtures/fixtures.ts";
import { closeServer } from "../setup/http/close_server.ts";
import { eventually } from "../setup/eventually.ts";
import { skipped } from "../setup/skipped.ts";
import { type LiveKitServer, startLiveKit } from "./livekit_server.ts";
import { MICROPHONES } from "./microphones.ts";
import { SHARED } from "./widget_stack.ts";
import {
  startVoiceStack,
  type VoiceStack,
  type VoiceWidgetPage,
  withVoiceWidget,
} from "./with_voice_widget.ts";

let livekit: LiveKitServer | undefined;
let stack: VoiceStack | undefined;

Deno.test.beforeAll(async () => {
  livekit = await startLiveKit();
  if (livekit) stack = await startVoiceStack({ livekitUrl: livekit.url });
});

Deno.test.afterAll(async () => {
  await stack?.close();
  await livekit?.close();
});

interface Talk {
  widget: VoiceWidgetPage;
  frame: Frame;
  livekit: LiveKitServer;
  /** The page of the person who takes the visitor over; its `room` is LiveKit's own. */
  person: Page;
}

/** Calls `fn` once visitor and person are in a room of a real LiveKit server. */
async function withTalk(what: string, fn: (talk: Talk) => Promise<void>): Promise<void> {
  if (!livekit) {
    return skipped(what, "no livekit-server found (github.com/livekit/livekit-server/cmd/server)");
  }
  if (!stack) return skipped(what, "no Chromium found");
  const [server, voice] = [livekit, stack];
  await withVoiceWidget(voice, async (widget) => {
    await widget.page.addInitScript(MICROPHONES);
    const frame = await widget.open();
    await frame.getByRole("button", { name: "Start talking" }).click();
    await frame.getByText("Hello, how can I help you?").waitFor();
    await frame.getByRole("button", { name: "Talk to a person" }).click();
    await frame.locator(".status", { hasText: "We are contacting someone for you" }).waitFor();
    await withPerson(voice, widget, async (person) => {
      await frame.locator(".status", { hasText: "You are talking to a person" }).waitFor();
      await fn({ widget, frame, livekit: server, person });
    });
  });
}

/** Has a person join, as a company's own page does, with a microphone. */
async function withPerson(
  { apiUrl, widgetUrl, browser }: VoiceStack,
  { sql, widgetId }: VoiceWidgetPage,
  fn: (person: Page) => Promise<void>,
): Promise<void> {
  const [handoff] = await sql`select id, company_id from outbound.handoffs where widget_id = ${widgetId}`;
  const { key } = await insertKey(sql, handoff!.company_id);
  const joined = await fetch(`${apiUrl}/voice-widget/handoff/join?access_key=${key}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ handoff_id: handoff!.id }),
  });
  const { url, token } = await joined.json();
  const manifest = await (await fetch(`${widgetUrl}/manifest.json`)).json();
  const html = `<!doctype html><title>Support</title>
    <script src="${widgetUrl}/${manifest.files.livekit_client.url}"></script>`;
  const headers = { "Content-Type": "text/html; charset=utf-8" };
  const site = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(html, { headers }),
  );
  const context = await (await browser("works")).newContext();
  try {
    const person = await context.newPage();
    await person.goto(`http://127.0.0.1:${site.addr.port}/`);
    await person.evaluate(`(async () => {
      const { Room, RoomEvent } = LivekitClient;
      globalThis.room = new Room();
      globalThis.ends = [];
      room.on(RoomEvent.Disconnected, (reason) => ends.push(LivekitClient.DisconnectReason[reason]));
      room.on(RoomEvent.TrackSubscribed, (track) => document.body.append(track.attach()));
      await room.connect(${JSON.stringify(url)}, ${JSON.stringify(token)});
      await room.localParticipant.setMicrophoneEnabled(true);
    })()`);
    await fn(person);
  } finally {
    await context.close();
    await closeServer(site);
  }
}

/** The bytes of the visitor's voice that have reached the person. */
function heardByPerson(person: Page): Promise<number> {
  return person.evaluate(`(async () => {
    const [visitor] = room.remoteParticipants.values();
    const [publication] = visitor?.audioTrackPublications.values() ?? [];
    const report = await publication?.track?.receiver?.getStats();
    return [...report?.values() ?? []].find(({ type }) => type === "inbound-rtp")?.bytesReceived ?? 0;
  })()`);
}

/** The seconds of the person's voice that the visitor's page has played. */
function playedToVisitor(frame: Frame): Promise<number> {
  return frame.evaluate(`document.querySelector("audio")?.currentTime ?? 0`);
}

Deno.test(
  "voice widget: visitor and person hear each other in a room of a LiveKit server, until the person leaves",
  SHARED,
  () =>
    withTalk("a talk in a LiveKit room", async ({ widget, frame, person }) => {
      await eventually(async () => assert.ok(await heardByPerson(person) > 2000));
      await eventually(async () => assert.ok(await playedToVisitor(frame) > 0.5));
      await frame.getByRole("button", { name: "Mute the microphone" }).click();
      await eventually(async () =>
        assert.equal(
          await person.evaluate(`[...room.remoteParticipants.values()][0].isMicrophoneEnabled`),
          false,
        )
      );

      await person.evaluate("room.disconnect()");

      await frame.locator(".status", { hasText: "Your conversation with our colleague has ended" }).waitFor();
      await eventually(async () => {
        const [over] = await widget
          .sql`select status from outbound.handoffs where widget_id = ${widget.widgetId}`;
        assert.equal(over!.status, "ended");
      });
      // LiveKit's client itself complains when a room ends.
      assert.deepEqual(
        widget.complaints.filter((complaint) => !complaint.startsWith("publisher data channel")),
        [],
      );
    }),
);

Deno.test(
  "voice widget: a visitor who ends the talk closes the room of the LiveKit server for both",
  SHARED,
  () =>
    withTalk("a LiveKit room that the visitor closes", async ({ frame, person }) => {
      await frame.getByRole("button", { name: "End the call" }).click();

      await eventually(async () => assert.deepEqual(await person.evaluate("ends"), ["ROOM_DELETED"]));
    }),
);

Deno.test(
  "voice widget: in a LiveKit room, a microphone that is lost is replaced by another, and the person goes on hearing",
  SHARED,
  () =>
    withTalk("a microphone that is lost in a LiveKit room", async ({ frame, person }) => {
      await eventually(async () => assert.ok(await heardByPerson(person) > 2000));
      await frame.evaluate("unplug('NotFoundError')");
      await frame.getByRole("alert").filter({ hasText: "The microphone has stopped working" }).waitFor();
      const before = await heardByPerson(person);

      await frame.evaluate("plugIn()");

      await frame.getByRole("alert").filter({ hasText: "You are using another microphone now" }).waitFor();
      await eventually(async () => assert.ok(await heardByPerson(person) > before + 5000));
    }),
);

Deno.test(
  "voice widget: a talk survives a LiveKit server that is killed and comes back",
  SHARED,
  () =>
    withTalk("a LiveKit server that is killed", async ({ frame, livekit, person }) => {
      await livekit.kill();
      await frame.locator(".status", { hasText: "The connection was interrupted" }).waitFor();
      await livekit.restart();

      await frame.locator(".status", { hasText: "You are talking to a person" }).waitFor();
      await eventually(async () => assert.ok(await heardByPerson(person) > 2000));
    }),
);
