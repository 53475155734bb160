import type { Address } from "../values/address.ts";
import type { AcceptRequest, AcceptVerdict, RecipientRule } from "../db/queue/accept_notifications.ts";
import { AppError, type ErrorCode } from "../errors.ts";
import type { Warning } from "./warnings.ts";

/**
 * The recipients of one request whom a rule concerns, as the database said when the request was offered to it: by number,
 * or by user id where there is no number.
 */
export type RecipientVerdicts = ReadonlyMap<string, RecipientRule>;

/** Adds the rules of a verdict to those that are known. */
export function addVerdicts(
  rules: Map<string, RecipientRule>,
  { notifications }: AcceptRequest,
  { recipients }: AcceptVerdict,
): void {
  const codes = new Map((recipients ?? []).map(({ id, code }) => [id, code]));
  for (const { id, ...address } of notifications) {
    const code = codes.get(id);
    if (code) rules.set(nameOf(address), code);
  }
}

function nameOf({ number, user_id }: Partial<Address>): string {
  return number ?? user_id ?? "";
}

const REFUSALS: Record<Exclude<RecipientRule, "warn_no_consent">, [ErrorCode, string]> = {
  opted_out: ["recipient_opted_out", "The recipient does not want such messages"],
  no_consent: [
    "consent_missing",
    "The recipient has not agreed to marketing, and the company requires it: record a consent first",
  ],
};

/**
 * Returns the warning about a recipient, if there is one.
 *
 * Throws `recipient_opted_out` and `consent_missing`.
 */
export function checkRecipient(rules: RecipientVerdicts, address: Address, index: number): Warning | null {
  const rule = rules.get(nameOf(address));
  if (rule === undefined) return null;
  if (rule === "warn_no_consent") {
    return { index, code: "no_consent", message: "No consent of the recipient to marketing is recorded" };
  }
  const [code, message] = REFUSALS[rule];
  throw new AppError(code, message, { details: { field: "contact", reason: rule } });
}
