import type { CallOutcome } from "./call.ts";

/** How calls to a number end. */
export interface NumberOutcome {
  outcome: CallOutcome;
  ring_ms?: number | undefined;
  talk_ms?: number | undefined;
  duration_secs?: number | undefined;
  /** Nobody is told. */
  lost?: boolean | undefined;
}

/** Endings of numbers that decide how their calls end. */
export const MAGIC_ENDINGS: Readonly<Record<string, NumberOutcome>> = {
  "0101": { outcome: "busy" },
  "0102": { outcome: "no_answer" },
  "0103": { outcome: "voicemail" },
  "0104": { outcome: "failed" },
  "0105": { outcome: "answered", lost: true },
};

/** How a call to this number, in digits, ends unless a fault says otherwise. */
export function outcomeOf(outcomes: ReadonlyMap<string, NumberOutcome>, to: string): NumberOutcome {
  return outcomes.get(to) ?? MAGIC_ENDINGS[to.slice(-4)] ?? { outcome: "answered" };
}
