import type { Context } from "hono";
import type { SandboxApp } from "../../http/sandbox_app.ts";
import type { SandboxCall } from "../calls/call.ts";
import { parseVoiceBody } from "../calls/outbound_call.ts";
import { pageOfItems, VoiceError } from "../voice_error.ts";
import type { VoicePlatform } from "../voice_platform.ts";
import {
  conversationStatus,
  conversationSummary,
  conversationView,
  hasAudio,
  successOf,
} from "./conversation_view.ts";
import { addFeedback, feedbackSchema } from "./feedback.ts";
import { recordingOf } from "./recording.ts";

/** Registers `GET /conversations`, `/conversations/{id}` and `…/audio`, `POST …/feedback`; an account sees only its own. */
export function registerConversationRoutes(app: SandboxApp, voice: VoicePlatform): void {
  app.get("/conversations", (c) => {
    const account = voice.accounts.authorize(c.req.header("xi-api-key"));
    const calls = voice.ledger.find({
      account: account.id,
      ref: c.req.query("user_id"),
      agent: c.req.query("agent_id"),
      limit: Infinity,
    }).filter((call) => isWanted(call, c)).reverse();
    const { items, ...rest } = pageOfItems(calls, ({ id }) => id, c.req.query());
    return c.json({ conversations: items.map(conversationSummary), ...rest });
  });
  app.get("/conversations/:id", (c) => c.json(conversationView(callOf(voice, c))));
  app.get("/conversations/:id/audio", (c) => {
    const call = callOf(voice, c);
    if (!hasAudio(call)) {
      const message = `Conversation with ID ${call.id} has no audio`;
      throw VoiceError.current(404, "conversation_audio_not_found", message);
    }
    return c.body(recordingOf(call), 200, { "Content-Type": "audio/wav" });
  });
  app.post("/conversations/:id/feedback", async (c) => {
    const call = callOf(voice, c);
    addFeedback(call.feedback, parseVoiceBody(await c.req.text(), feedbackSchema));
    voice.journal.write({ t: "call_feedback", id: call.id, feedback: call.feedback });
    return c.json({});
  });
}

function callOf(voice: VoicePlatform, c: Context): SandboxCall {
  const account = voice.accounts.authorize(c.req.header("xi-api-key"));
  const id = c.req.param("id") ?? "";
  const call = voice.ledger.get(id)?.call;
  if (call === undefined || call.account !== account.id) {
    throw VoiceError.current(404, "conversation_not_found", `Conversation with ID ${id} was not found`);
  }
  return call;
}

function isWanted(call: SandboxCall, c: Context): boolean {
  const { call_start_after_unix: after, call_start_before_unix: before, call_successful } = c.req.query();
  const start = Math.floor(Date.parse(call.accepted_at) / 1000);
  const excluded = c.req.queries("exclude_statuses") ?? [];
  return (after === undefined || start >= Number(after)) &&
    (before === undefined || start <= Number(before)) &&
    (call_successful === undefined || successOf(call) === call_successful) &&
    !excluded.includes(conversationStatus(call));
}
