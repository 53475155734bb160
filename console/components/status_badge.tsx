import { words } from "../i18n/words.ts";

type Tone = "good" | "busy" | "warn" | "bad" | "calm";

const TONES: Record<string, Tone> = {
  ...tone(
    "good",
    "completed",
    "delivered",
    "read",
    "active",
    "approved",
    "answered",
    "succeeded",
    "granted",
    "joined",
  ),
  ...tone("busy", "sending", "sent", "queued", "ringing"),
  ...tone(
    "warn",
    "paused",
    "unconfirmed",
    "throttled",
    "limit_reached",
    "low_quality",
    "pending",
    "unanswered",
    "invited",
    "waiting",
    "voicemail",
  ),
  ...tone(
    "bad",
    "failed",
    "stopped",
    "unreachable",
    "rejected",
    "disabled",
    "revoked",
    "banned",
    "withdrawn",
    "no_answer",
  ),
};

function tone(name: Tone, ...statuses: string[]): Record<string, Tone> {
  return Object.fromEntries(statuses.map((status) => [status, name]));
}

/** A state of the API in words, with a colour that adds nothing to them. */
export function StatusBadge({ status, of, label }: {
  status: string;
  /** The thing that is in the state, where a language has other words for it. */
  of?: "campaign" | "template" | "key" | "delivery";
  label?: string;
}) {
  const { statuses, statusesOf } = words().common;
  return (
    <span class={`badge ${TONES[status] ?? "calm"}`}>
      {label ?? (of && statusesOf[of]?.[status]) ?? statuses[status] ?? status}
    </span>
  );
}
