import type { Sender } from "../../data/sdk.ts";
import { StatusBadge } from "../../components/status_badge.tsx";
import { words } from "../../i18n/words.ts";

/** How a sender is: stopped, out of reach, slowed down, or as it should be. */
export function SenderBadge({ sender: { status, wait, throttle } }: { sender: Sender }) {
  const shown = status === "stopped"
    ? "stopped"
    : wait
    ? "unreachable"
    : throttle < 1
    ? "throttled"
    : "active";
  return <StatusBadge status={shown} />;
}

/** Returns how fast a sender may go, and how fast it goes while the platform slows it down. */
export function describeRate({ channel, rate_per_second, concurrency, throttle }: Sender): string {
  const { perSecond, callsAtATime, slowed } = words().senders;
  const write = channel === "voice" ? callsAtATime : perSecond;
  const full = channel === "voice" ? concurrency : rate_per_second;
  const now = Math.max(1, Math.round(full * throttle));
  return throttle < 1 ? `${write(full)}, ${slowed(write(now))}` : write(full);
}

/** Returns the platform's limit in words: TIER_2K is 2,000 people per day. */
export function describeLimit(limit: string | null): string | undefined {
  if (limit === null) return undefined;
  if (/UNLIMITED/.test(limit)) return words().senders.unlimited;
  const [, digits, thousands] = /^TIER_(\d+)(K?)$/.exec(limit) ?? [];
  if (digits === undefined) return limit;
  return words().senders.limitValue(Number(digits) * (thousands ? 1000 : 1));
}

/** Returns the platform's rating in words. */
export function describeQuality(quality: string | null): string | undefined {
  return quality === null ? undefined : words().senders.qualities[quality] ?? quality;
}
