/** Advice about a row of an upload, by its code. docs/errors.md has the same table. */
export const ROW_ADVICE: Readonly<Record<string, string>> = {
  validation_failed: "Correct the cell, and send the row in another upload",
  duplicate_recipient: "Nothing, or make the upload with `duplicates`: `accept`",
  recipient_opted_out: "Leave the person alone",
  consent_missing: "Record a consent, then send the row in another upload",
  user_id_not_supported: "Give the person's number",
  frequency_cap: "Nothing, or send when the cap's days are over",
  sending_hours: "Nothing: the message leaves when the hours begin",
  marketing_rest: "Nothing: the message leaves when the platform's rest is over",
};

/** Rows with the same code. */
export interface CodeCount {
  code: string;
  count: number;
  what_to_do: string;
}

/** Returns the counts with what to do, the most frequent code first. */
export function adviseOn(counts: Record<string, number>): CodeCount[] {
  return Object.entries(counts)
    .map(([code, count]) => ({ code, count, what_to_do: ROW_ADVICE[code] ?? "See the reason" }))
    .sort((a, b) => b.count - a.count || a.code.localeCompare(b.code));
}
