/** Advice about a row of an upload, by its code. docs/errors.md has the same table. */
export const ROW_ADVICE: Readonly<Record<string, string>> = {
  validation_failed: "Correct the cell, and send the row in another upload",
  number_is_missing: "Add the person's number",
  number_is_invalid: "Write the number with + and its country code",
  number_is_ambiguous: "Write the number with + and its country code",
  number_has_decimals: "Format the column as text, so that the number has all its digits and no decimals",
  number_has_zero_in_brackets: "Leave out the (0)",
  number_has_extension: "Leave out the last digits, or write the number without separators",
  cell_is_empty: "Fill in the cell",
  cell_is_invalid: "Write the cell as text",
  row_length: "Give the row as many cells as the first line has; quote cells that hold the separator",
  duplicate_recipient: "Nothing, or make the upload with `duplicates`: `accept`",
  contact_gone: "Nothing: the contact was erased, or merged with another one",
  recipient_opted_out: "Leave the person alone",
  consent_missing: "Record a consent, then send the row in another upload",
  user_id_not_supported: "Give the person's number",
  frequency_cap: "Nothing, or send when the cap's days are over",
  sending_hours: "Nothing: the message leaves when the hours begin",
  rules_unreadable: "Save the sending hours and caps again, or ask the operator to update the service",
  marketing_cooldown: "Nothing: the message leaves when the platform's cooldown is over",
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
