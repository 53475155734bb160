import { notSetUp } from "../../errors.ts";
import type { VoiceConfig } from "../../gateways/voice/client.ts";
import type { AppContext } from "../app/context.ts";
import type { RealtimeConfig } from "../../gateways/realtime.ts";

/** Returns the voice platform and our key to it. Throws `service_unavailable` (502) without ELEVENLABS_API_KEY. */
export function voicePlatform(c: AppContext): { config: VoiceConfig; apiKey: string } {
  const { ELEVENLABS_API_URL, ELEVENLABS_API_KEY } = c.var.services.env;
  if (!ELEVENLABS_API_KEY) {
    throw notSetUp("voice", "Voice is not set up on this server");
  }
  return { config: { apiUrl: ELEVENLABS_API_URL }, apiKey: ELEVENLABS_API_KEY };
}

/** Returns the realtime platform for handoffs; undefined without the LIVEKIT_* settings. */
export function realtimePlatform(c: AppContext): RealtimeConfig | undefined {
  const { LIVEKIT_URL: url, LIVEKIT_API_KEY: apiKey, LIVEKIT_API_SECRET: apiSecret } = c.var.services.env;
  return url && apiKey && apiSecret ? { url, apiKey, apiSecret } : undefined;
}

/** Returns the realtime platform. Throws `service_unavailable` (502) if it is not set up. */
export function requireRealtimePlatform(c: AppContext): RealtimeConfig {
  const platform = realtimePlatform(c);
  if (platform) return platform;
  throw notSetUp("realtime", "Handoffs are not set up on this server");
}
