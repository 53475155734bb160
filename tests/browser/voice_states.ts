import { readFile } from "node:fs/promises";
import type { Frame } from "playwright-core";
import {
  type Microphone,
  type VoiceStack,
  type VoiceWidgetPage,
  withVoiceWidget,
} from "./with_voice_widget.ts";
import type { VisitLanguage } from "./chat_states.ts";

interface VoiceState {
  microphone?: Microphone;
  /** Brings an opened voice assistant there. */
  enter: (frame: Frame, widget: VoiceWidgetPage) => Promise<void>;
}

const press = (frame: Frame, action: string) => frame.locator(`[data-action="${action}"]`).click();

async function talk(frame: Frame): Promise<void> {
  await press(frame, "start");
  await frame.locator("li.agent").first().waitFor();
}

async function waitForPerson(frame: Frame): Promise<void> {
  await talk(frame);
  await press(frame, "handoff");
  await frame.locator('[data-action="handoff_end"]:visible').waitFor();
}

/** The states of a voice assistant that visitors come across, by name. */
export const VOICE_STATES: Record<string, VoiceState> = {
  ready: { enter: async (frame) => await frame.locator('[data-action="start"]').waitFor() },
  connecting: {
    async enter(frame, { page }) {
      await page.route("**/signed-url*", () => {});
      await press(frame, "start");
      await frame.locator('[data-mood="connecting"]').waitFor();
    },
  },
  talking: {
    async enter(frame, widget) {
      await widget.sandbox("PUT", "/settings", { hear_after_ms: 300 });
      await talk(frame);
      await frame.locator("li.user").waitFor();
    },
  },
  refused: {
    microphone: "refused",
    async enter(frame) {
      await press(frame, "start");
      await frame.locator(".alert:not(:empty)").waitFor();
    },
  },
  waiting: { enter: waitForPerson },
  person: {
    async enter(frame) {
      await waitForPerson(frame);
      await frame.waitForFunction("globalThis.livekit?.room");
      await frame.evaluate(
        `livekit.room.remoteParticipants.set("operator-1", {}); livekit.room.emit("participantConnected")`,
      );
      await frame.locator('[data-mood="listening"]').waitFor();
    },
  },
  ended: {
    async enter(frame) {
      await talk(frame);
      await press(frame, "end");
      await frame.locator(".feedback").waitFor();
    },
  },
};

const TEXTS = {
  en: { title: "Acme Shoes", subtitle: "Voice assistant" },
  ar: { title: "أكمي للأحذية", subtitle: "المساعد الصوتي" },
};

/** Calls `fn` with a page on which a voice assistant is open, in a state. */
export async function withVoiceState(
  stack: VoiceStack,
  { name, language, look = {}, viewport = { width: 440, height: 700 } }: {
    name: string;
    language: VisitLanguage;
    /** Merged into the configuration of every state. */
    look?: Record<string, string>;
    viewport?: { width: number; height: number };
  },
  fn: (widget: VoiceWidgetPage, frame: Frame) => Promise<void>,
): Promise<void> {
  const { enter, microphone = "works" } = VOICE_STATES[name]!;
  const config = { appearance: "auto", colors: { primary: "#0b6e4f" }, texts: TEXTS, ...look };
  await withVoiceWidget(stack, async (widget) => {
    const frame = await widget.open();
    await enter(frame, widget);
    await fn(widget, frame);
  }, {
    config,
    microphone,
    attributes: { lang: language },
    livekitClient: await readFile(new URL("livekit_stand_in.js", import.meta.url), "utf8"),
    context: { viewport, deviceScaleFactor: 1.5, reducedMotion: "reduce" },
  });
}
