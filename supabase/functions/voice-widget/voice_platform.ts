import { notSetUp } from "../_shared/errors.ts";
import type { VoiceConfig } from "../_shared/gateways/voice/config.ts";
import type { AppContext } from "../_shared/http/app.ts";

/** The voice platform and our key to it. Throws `service_unavailable` (502) where ELEVENLABS_API_KEY is not set. */
export function voicePlatform(c: AppContext): { config: VoiceConfig; apiKey: string } {
  const { ELEVENLABS_API_URL, ELEVENLABS_API_KEY } = c.var.services.env;
  if (!ELEVENLABS_API_KEY) {
    throw notSetUp("voice", "Voice is not set up on this server");
  }
  return { config: { apiUrl: ELEVENLABS_API_URL }, apiKey: ELEVENLABS_API_KEY };
}
