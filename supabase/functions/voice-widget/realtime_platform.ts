import { notSetUp } from "../_shared/errors.ts";
import type { RealtimeConfig } from "../_shared/gateways/realtime/config.ts";
import type { AppContext } from "../_shared/http/app.ts";

/** The platform on which visitor and person meet; undefined where LIVEKIT_* is not set. */
export function realtimePlatform(c: AppContext): RealtimeConfig | undefined {
  const { LIVEKIT_URL: url, LIVEKIT_API_KEY: apiKey, LIVEKIT_API_SECRET: apiSecret } = c.var.services.env;
  return url && apiKey && apiSecret ? { url, apiKey, apiSecret } : undefined;
}

/** The same. Throws `service_unavailable` (502) where there is none. */
export function requireRealtimePlatform(c: AppContext): RealtimeConfig {
  const platform = realtimePlatform(c);
  if (platform) return platform;
  throw notSetUp("realtime", "Handing over to a person is not set up on this server");
}
