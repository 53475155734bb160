import { AppError } from "../../errors.ts";
import type { CreateOutcome } from "../../gateways/whatsapp/create_template.ts";
import { platformUnavailable } from "../../gateways/whatsapp/platform_unavailable.ts";

/** The 400 for a name that the account has in this language. */
export function alreadyExists(
  { name, language }: { name: string; language: string },
  details: Record<string, unknown>,
): AppError {
  return new AppError(
    "validation_failed",
    `There is a template '${name}' in language '${language}' already`,
    {
      details: { field: "name_template", reason: "exists in this language already", ...details },
    },
  );
}

/** The 409 for a request whose first try is still under way. */
export function keyInUse(waitS: number): AppError {
  return new AppError(
    "idempotency_key_in_use",
    "The first request with this Idempotency-Key is still under way",
    {
      retryAfter: waitS,
    },
  );
}

/** What a caller is told about a submission the platform did not take, or may not have taken. */
export function refusalOf(outcome: Exclude<CreateOutcome, { kind: "created" }>): AppError {
  switch (outcome.kind) {
    case "refused":
      return refused(outcome);
    case "busy":
      return platformUnavailable(`The messaging platform does not take templates now. ${outcome.reason}`, {
        details: { estimated_recovery: null },
        retryAfter: outcome.retryAfterS,
      });
    case "unreachable":
      return platformUnavailable(`The messaging platform cannot be reached. ${outcome.reason}`, {
        details: { estimated_recovery: null },
      });
    case "unknown":
      return platformUnavailable(
        `The messaging platform did not say whether it took the template. ${outcome.reason}. ` +
          "Send the same request again to find out",
        { details: { estimated_recovery: null } },
      );
  }
}

function refused({ reason, code, subcode }: Extract<CreateOutcome, { kind: "refused" }>): AppError {
  return new AppError("validation_failed", `The messaging platform refused the template. ${reason}`, {
    details: { service: "whatsapp", reason, platform_code: code, platform_subcode: subcode },
  });
}
