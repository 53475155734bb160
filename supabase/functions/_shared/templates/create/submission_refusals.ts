import { AppError } from "../../errors.ts";
import type { CreateOutcome } from "../../gateways/whatsapp/create_template.ts";
import {
  accountRefused,
  actionFor,
  actionForStatus,
  platformUnavailable,
  refusesAccount,
} from "../../gateways/whatsapp/errors.ts";

/** Returns the 400 for a name that the account has in this language. */
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

/** Returns the 409 for a request whose first attempt is still under way. */
export function keyInUse(waitS: number): AppError {
  return new AppError(
    "idempotency_key_in_use",
    "The first request with this Idempotency-Key is still under way",
    {
      retryAfterS: waitS,
    },
  );
}

/** Returns the refusal for a submission that the platform did not accept, or may not have accepted. */
export function refusalOf(outcome: Exclude<CreateOutcome, { kind: "created" }>): AppError {
  switch (outcome.kind) {
    case "refused":
      return refused(outcome);
    case "busy":
      return platformUnavailable(`The messaging platform does not take templates now. ${outcome.reason}`, {
        retryAfterS: outcome.retryAfterS,
      });
    case "unreachable":
      return platformUnavailable(`The messaging platform cannot be reached. ${outcome.reason}`);
    case "unknown":
      return platformUnavailable(
        `The messaging platform did not say whether it took the template. ${outcome.reason}. ${FIND_OUT}`,
        { retryAfterS: outcome.retryAfterS },
      );
  }
}

const FIND_OUT = "Send the same request again to find out";

/**
 * Returns the refusal when the platform does not say afterwards either whether it took the template: a 502, or a 400 when
 * it refuses the request to say.
 *
 * @param error why the platform did not say
 * @param submitted the outcome of the submission, if that was in this request
 */
export function undecided(
  error: AppError,
  submitted?: Extract<CreateOutcome, { kind: "unknown" }>,
): AppError {
  const isForOperator = error.outage?.recovery === null;
  const reason = isForOperator ? error.message : error.details?.reason ?? submitted?.reason;
  const message = "The messaging platform did not say whether it took the template." +
    (reason === undefined ? "" : ` ${reason}.`);
  if (isForOperator || error.outage === undefined) {
    const { code, details, outage } = error;
    const next = "Once that is solved, send the same request again to find out";
    return new AppError(code, `${message} ${next}`, { details, outage });
  }
  const retryAfterS = submitted?.retryAfterS ?? error.retryAfterS;
  return platformUnavailable(`${message} ${FIND_OUT}`, { details: error.details, retryAfterS });
}

function refused(
  { reason, httpStatus, code, subcode }: Extract<CreateOutcome, { kind: "refused" }>,
): AppError {
  const advice = code === null ? actionForStatus(httpStatus, reason) : actionFor(code, httpStatus);
  if (refusesAccount(advice.action)) {
    const words = advice.reason === reason ? reason : `${advice.reason}: ${reason}`;
    return accountRefused(`The messaging platform refused the sender's account. ${words}`);
  }
  return new AppError("validation_failed", `The messaging platform refused the template. ${reason}`, {
    details: { service: "whatsapp", reason, platform_code: code, platform_subcode: subcode },
  });
}
