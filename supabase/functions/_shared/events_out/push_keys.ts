import type { VapidKeys } from "../crypto/vapid.ts";
import type { Env } from "../env.ts";

/** Returns the keys by which push services know this installation; null where it sends no notifications to browsers. */
export function vapidKeysOf(
  { OUTBOUND_VAPID_PUBLIC_KEY: publicKey, OUTBOUND_VAPID_PRIVATE_KEY: privateKey }: Env,
): VapidKeys | null {
  return publicKey && privateKey ? { publicKey, privateKey } : null;
}
