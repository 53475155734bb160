import type { AppContext } from "../_shared/http/app.ts";

/** Whether there is a platform on which visitor and operator can meet. */
export function canHandOff(c: AppContext): boolean {
  const { LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET } = c.var.services.env;
  return Boolean(LIVEKIT_URL && LIVEKIT_API_KEY && LIVEKIT_API_SECRET);
}
