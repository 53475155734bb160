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
  ...tone("busy", "sending", "sent", "queued"),
  ...tone(
    "warn",
    "paused",
    "unconfirmed",
    "throttled",
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
export function StatusBadge({ status, label }: { status: string; label?: string }) {
  return (
    <span class={`badge ${TONES[status] ?? "calm"}`}>
      {label ?? words().common.statuses[status] ?? status}
    </span>
  );
}
