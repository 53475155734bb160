import { csvLine } from "../csv_line.ts";
import { type Recipient, RECIPIENT_FIELDS } from "./recipient.ts";

/** The first line of a recipients file. */
export const RECIPIENTS_CSV_HEADER = csvLine(RECIPIENT_FIELDS);

/** Some recipients, a line each. */
export function recipientsCsv(recipients: Recipient[]): string {
  return recipients.map((recipient) => csvLine(RECIPIENT_FIELDS.map((field) => recipient[field]))).join("");
}
