import { accountEmail } from "../_shared/access/sign_in.ts";
import { sha256Hex } from "../_shared/crypto/digests.ts";
import {
  ACCOUNT_GAP_S,
  countLoginAttempt,
  LOGIN_WINDOW_S,
  type LoginSubjects,
  type LoginVerdict,
  MAX_ATTEMPTS_PER_ADDRESS,
  MAX_ATTEMPTS_PER_PAIR,
} from "../_shared/db/access/login_attempts.ts";
import { AppError, rateLimitExceeded } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app/context.ts";
import { clientAddress } from "../_shared/http/app/request_context.ts";

/**
 * Counts an attempt to log in before the password is checked. Returns what it was counted against, for
 * `refundLoginAttempt`.
 *
 * Throws `rate_limit_exceeded` when the address or the account has to wait; such an attempt is not counted.
 */
export async function countLogin(c: AppContext, email: string): Promise<LoginSubjects> {
  const { sql, now } = c.var.services;
  const subjects = subjectsOf(clientAddress(c), accountEmail(email));
  const verdict = await countLoginAttempt(sql, subjects);
  if (verdict.wait_s > 0) throw tooManyAttempts(verdict, now());
  return subjects;
}

function subjectsOf(address: string | undefined, account: string): LoginSubjects {
  return {
    address: address === undefined ? null : sha256Hex(`address:${address}`),
    account: sha256Hex(`account:${account}`),
    pair: sha256Hex(`pair:${address ?? ""} ${account}`),
  };
}

function tooManyAttempts({ wait_s, reached }: LoginVerdict, now: Date): AppError {
  const [limit, windowS] = reached === "account"
    ? [1, ACCOUNT_GAP_S]
    : [reached === "pair" ? MAX_ATTEMPTS_PER_PAIR : MAX_ATTEMPTS_PER_ADDRESS, LOGIN_WINDOW_S];
  return AppError.from(
    rateLimitExceeded("Too many failed logins", { limit, windowS, waitS: wait_s, now }),
  );
}
