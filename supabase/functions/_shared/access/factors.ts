import { z } from "zod";
import { AppError, badFormat } from "../errors.ts";
import type { Env } from "../env.ts";
import { type AccessToken, invalidToken } from "./access_token.ts";
import {
  type AuthRefusal,
  type AuthRequest,
  authUnavailable,
  readAuthData,
  requestAuth,
  secondFactorRequired,
} from "./auth_server.ts";

const factorSchema = z.object({
  id: z.guid(),
  factor_type: z.string(),
  status: z.enum(["verified", "unverified"]),
  friendly_name: z.string().default(""),
  created_at: z.string(),
});

/** A second factor as the auth server has it. */
export type Factor = z.infer<typeof factorSchema>;

const userSchema = z.object({ factors: z.array(factorSchema).nullish() });

/** How a person makes requests about their factors. */
export interface FactorOwner {
  env: Env;
  token: AccessToken;
  /** See {@link AuthRequest}. */
  clientAddress: string | undefined;
}

/** Lists a user's second factors, also those whose set-up is not finished. Throws what {@link verifyFactor} throws. */
export async function listFactors(owner: FactorOwner): Promise<Factor[]> {
  return readAuthData(userSchema, await request(owner, "user")).factors ?? [];
}

const enrolledSchema = z.object({
  id: z.guid(),
  totp: z.object({ qr_code: z.string(), secret: z.string(), uri: z.string() }),
});

/**
 * Begins to set up a factor: an app that shows codes (TOTP). It counts once a code of it was verified. A set-up that
 * was not finished is removed.
 *
 * Throws what {@link verifyFactor} throws, `validation_failed` for the name of another factor, and `forbidden` where no more
 * factors may be set up.
 */
export async function enrollFactor(
  owner: FactorOwner,
  name: string,
): Promise<z.infer<typeof enrolledSchema>> {
  for (const { id, status } of await listFactors(owner)) {
    if (status === "unverified") await removeFactor(owner, id);
  }
  const body = { factor_type: "totp", friendly_name: name };
  return readAuthData(enrolledSchema, await request(owner, "factors", { method: "POST", body }));
}

/** Removes a factor. Throws what {@link verifyFactor} throws. */
export async function removeFactor(owner: FactorOwner, id: string): Promise<void> {
  await request(owner, `factors/${id}`, { method: "DELETE" });
}

const challengeSchema = z.object({ id: z.guid() });

/**
 * Checks the code of a factor, and returns the session that goes on with it, as the auth server sent it.
 *
 * Throws `validation_failed` for a wrong code, `not_found`, `unauthorized` for a token that opens nothing,
 * `second_factor_required`, `rate_limit_exceeded` and `service_unavailable` (502).
 *
 * @param limit is called once the token and the factor are known to belong together, before the code is checked
 */
export async function verifyFactor(
  owner: FactorOwner,
  { id, code, limit }: { id: string; code: string; limit: () => Promise<void> },
): Promise<unknown> {
  const challenge = readAuthData(
    challengeSchema,
    await request(owner, `factors/${id}/challenge`, { method: "POST", body: {} }),
  );
  await limit();
  const body = { challenge_id: challenge.id, code };
  return await request(owner, `factors/${id}/verify`, { method: "POST", body });
}

async function request(
  { env, token, clientAddress }: FactorOwner,
  path: string,
  options: Pick<AuthRequest, "method" | "body"> = {},
): Promise<unknown> {
  const { data, refusal } = await requestAuth(env, path, { ...options, token: token.text, clientAddress });
  if (refusal) throw factorRefused(refusal);
  return data;
}

function factorRefused(refusal: AuthRefusal): AppError {
  const cause = refusal;
  switch (refusal.code) {
    case "mfa_verification_failed":
    case "mfa_challenge_expired":
      return badFormat("code", "", "the code that the app shows now");
    case "mfa_factor_not_found":
      return new AppError("not_found", "Factor not found", { cause });
    case "mfa_factor_name_conflict":
      return badFormat("name", "", "a name that no other factor has");
    case "insufficient_aal":
      return secondFactorRequired(cause);
    case "too_many_enrolled_mfa_factors":
      return new AppError("forbidden", "You have as many second factors as the login service allows", {
        cause,
      });
    case "mfa_totp_enroll_not_enabled":
    case "mfa_totp_verify_not_enabled":
      return new AppError("forbidden", "Second factors are switched off at the login service", { cause });
    case "mfa_ip_address_mismatch":
      return authUnavailable(cause);
    default:
      return invalidToken(cause);
  }
}
