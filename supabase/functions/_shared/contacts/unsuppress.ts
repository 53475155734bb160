import type { Unsuppressed } from "../db/contacts/contact_ledger.ts";
import { AppError } from "../errors.ts";

/**
 * Returns what was lifted. Throws `not_found`, `suppression_kept`, or `validation_failed` when the person's own opt-out
 * needs evidence.
 */
export function requireLifted(result: Unsuppressed): Pick<Unsuppressed, "lifted" | "kept"> {
  const { outcome, kept, opted_out_at: at, opted_out_by: by } = result;
  switch (outcome) {
    case "lifted":
      return result;
    case "none":
      throw new AppError(
        "not_found",
        "No suppression of this person for this channel and category; list all with GET …/contacts/suppressions",
      );
    case "kept":
      throw new AppError("suppression_kept", `The suppression stays: ${kept.map(whoLifts).join("; ")}`, {
        details: { sources: kept },
      });
    case "evidence_needed":
      throw new AppError(
        "validation_failed",
        `The person opted out (${by}) at ${
          at!.toISOString()
        }: give method and consented_at of a later consent`,
        {
          details: {
            field: "consented_at",
            reason: "later than the opt-out",
            opted_out_at: at!.toISOString(),
            source: by,
          },
        },
      );
  }
}

function whoLifts(source: string): string {
  if (source === "platform") {
    return "the person stopped it at the platform, and only the person can undo that there";
  }
  return "an operator of this service recorded it, and can lift it";
}
