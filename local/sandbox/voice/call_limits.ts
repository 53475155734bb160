import type { VoiceAccount } from "./options.ts";
import type { VoicePlatform } from "./voice_platform.ts";

/** What the platform gives a workspace here unless its account says otherwise. */
const DEFAULT_CONCURRENCY = 20;

/** How many calls an account may have at a time. */
export function concurrencyOf(voice: VoicePlatform, account: VoiceAccount): number {
  return (voice.settings.concurrency ?? account.concurrency ?? DEFAULT_CONCURRENCY) || Infinity;
}
