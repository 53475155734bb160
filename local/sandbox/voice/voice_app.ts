import { Hono } from "hono";
import type { SandboxApp } from "../http/sandbox_app.ts";
import { registerConversationRoutes } from "./conversations/conversation_routes.ts";
import { ROUTES } from "./voice_fault.ts";
import { registerInventoryRoutes } from "./inventory_routes.ts";
import { postOutboundCall } from "./calls/post_outbound_call.ts";
import { faultsOnReads } from "./draw_fault.ts";
import { VoiceError } from "./voice_error.ts";
import type { VoicePlatform } from "./voice_platform.ts";

/** Builds the voice platform's own routes, under `/v1/convai`, with its own error bodies. */
export function createVoiceApp(voice: VoicePlatform): SandboxApp {
  const app: SandboxApp = new Hono();
  app.onError((error, c) => {
    const refusal = error instanceof VoiceError
      ? error
      : VoiceError.current(500, "internal_error", String(error));
    const { refused } = voice.counters;
    refused[refusal.code] = (refused[refusal.code] ?? 0) + 1;
    return c.json({ detail: refusal.detail }, refusal.status as 400);
  });
  app.post("/twilio/outbound-call", (c) => postOutboundCall(voice, c, "twilio"));
  app.post("/sip-trunk/outbound-call", (c) => postOutboundCall(voice, c, "sip_trunk"));
  for (const route of ROUTES) {
    app.get(`/${route}/*`, faultsOnReads(voice, route));
  }
  registerInventoryRoutes(app, voice);
  registerConversationRoutes(app, voice);
  app.all("*", () => {
    throw VoiceError.text(404, "Not Found");
  });
  return app;
}
