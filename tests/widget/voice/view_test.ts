import assert from "node:assert/strict";
import { VOICE_TEXTS } from "../../../supabase/functions/_shared/widgets/voice_texts.ts";
import { viewOf } from "../../../widget/voice/view.ts";
import type { Stage } from "../../../widget/voice/voice_state.ts";

const WIDGET = {
  language: "en",
  texts: VOICE_TEXTS.en,
  colors: {},
  animation: { type: "orb", speed: 1, intensity: 1 },
  features: { transcript: true, feedback: true, handoff: true, text_input: true },
} as const;

const POOR = {
  ...WIDGET,
  features: { transcript: false, feedback: false, handoff: false, text_input: false },
};

const STAGES: Stage[] = [
  { name: "idle" },
  { name: "connecting" },
  { name: "talking", written: false, speaking: true, muted: false },
  { name: "talking", written: true, speaking: false, muted: false, problem: "handoff_unavailable" },
  { name: "ended" },
  { name: "ended", timeOver: true },
  { name: "stopped", problem: "microphone_refused", hasSession: false },
  { name: "stopped", problem: "microphone_missing", hasSession: true },
  { name: "stopped", problem: "session_refused", hasSession: false },
  { name: "stopped", problem: "connection_lost", hasSession: true },
  { name: "stopped", problem: "limit_reached", hasSession: false },
  { name: "stopped", problem: "handoff_unavailable", hasSession: true },
  { name: "talking", written: false, speaking: false, muted: false, microphone: "microphone_lost" },
  { name: "handoff", joined: false, muted: false },
  { name: "handoff", joined: true, muted: false, microphone: "microphone_changed" },
  { name: "handoff", joined: true, muted: true, soundBlocked: true },
  { name: "handoff", joined: true, muted: true, interrupted: true },
  { name: "handoff_ended" },
];

Deno.test("viewOf() always says what is going on and offers a way on, whatever the widget offers", () => {
  for (const widget of [WIDGET, POOR]) {
    for (const stage of STAGES) {
      const view = viewOf(stage, widget);

      const says = view.status !== "" || view.problem !== "" || view.composer;
      assert.ok(says && view.actions.length > 0, JSON.stringify(stage));
      for (const action of view.actions) assert.ok(VOICE_TEXTS.en[action], action);
    }
  }
});

Deno.test("viewOf() offers neither a person nor writing where the widget does not", () => {
  const offered = STAGES.flatMap((stage) => viewOf(stage, POOR).actions);

  assert.ok(!offered.includes("handoff") && !offered.includes("write_instead"));
});

Deno.test("viewOf() says that the microphone is off while the agent listens", () => {
  const view = viewOf({ name: "talking", written: false, speaking: false, muted: true }, WIDGET);

  assert.equal(view.status, VOICE_TEXTS.en.muted);
  assert.ok(view.actions.includes("unmute") && !view.actions.includes("mute"));
});
