import { z } from "@hono/zod-openapi";
import { type AccessToken, readAccessToken } from "../../access/access_token.ts";
import { type Effect, mayHappen } from "../../access/effects.ts";
import { apiAccessOff } from "../../access/key_refusal.ts";
import { mayActAs, type Role } from "../../access/roles.ts";
import { signedInUser } from "../../access/signed_in_user.ts";
import { sha256Hex } from "../../crypto/digests.ts";
import type { Actor } from "../../db/access/audit.ts";
import { AppError } from "../../errors.ts";
import type { AppContext } from "../app/context.ts";
import { tooManyPerMinute } from "./limits.ts";
import { limitTokenChecks } from "./require_user.ts";

/** Requests of one token per minute: a person with several open consoles. */
const MAX_REQUESTS = 1200;

/** A member of a company, who makes a request. */
export interface Member {
  companyId: string;
  userId: string;
  role: Role;
  api_access: boolean;
  /** For the audit. */
  by: Actor;
}

/** The parameters in the path of every route below a company. */
export const companyParams = z.object({ company_id: z.guid() });

/**
 * Returns the member whose access token a request to `/manage/companies/{company_id}/…` carries, if the role is enough.
 *
 * Throws what {@link requireSignedIn} throws; `not_found` to anybody else, so that nobody learns which companies exist;
 * `forbidden` to a member whose role is too small, or whose company may not do it.
 */
export async function requireMember(c: AppContext, role: Role): Promise<Member> {
  const needed = { role, effect: c.get("effect") };
  return await requireRole(c, await requireSignedIn(c), c.req.param("company_id"), needed);
}

/**
 * Returns a user as the member of a company, if the role is enough and the company may do it. Throws `not_found`,
 * `forbidden`.
 */
export async function requireRole(
  c: AppContext,
  userId: string,
  givenCompany: string | undefined,
  { role: required, effect }: { role: Role; effect: Effect },
): Promise<Member> {
  const companyId = z.guid().safeParse(givenCompany).data?.toLowerCase();
  const rights = companyId ? await c.get("services").memberRights.get({ userId, companyId }) : null;
  if (!companyId || rights === null) throw new AppError("not_found", "Company not found");
  const { role } = rights;
  c.set("companyId", companyId);
  if (!mayActAs(role, required)) {
    throw new AppError("forbidden", `Only members with the role ${required} may do this; you are ${role}`, {
      details: { role, required },
    });
  }
  requireMayHappen(rights, effect);
  return { companyId, userId, ...rights, by: { actor: `user:${userId}`, requestId: c.get("requestId") } };
}

/** Throws `forbidden` for what a member's company may not do: see {@link mayHappen}. */
export function requireMayHappen(company: { api_access: boolean }, effect: Effect): void {
  if (!mayHappen(effect, company)) throw new AppError("forbidden", apiAccessOff().message);
}

/**
 * Returns the id of the user whose access token a request carries. The auth server checks a token once in ten seconds,
 * because a console makes many requests.
 *
 * Throws `unauthorized`, `rate_limit_exceeded`, and `service_unavailable` (502) when the auth server cannot be reached.
 */
export async function requireSignedIn(c: AppContext): Promise<string> {
  const services = c.get("services");
  const token = readAccessToken(c.req.header("Authorization"), services.now());
  const hash = sha256Hex(token.text);
  await (services.signedInUsers.get(hash) ?? checkToken(c, token, hash));
  c.set("isKnown", true);
  c.set("userId", token.userId);
  const waitS = services.perMinute.count(`member:${hash}`, MAX_REQUESTS);
  if (waitS > 0) throw tooManyPerMinute(c, "Too many requests", { limit: MAX_REQUESTS, waitS });
  return token.userId;
}

/**
 * Checks a token, once for all requests that carry it meanwhile. Only tokens that were not good lately count against the
 * limit of an address: an office of many consoles is one address, and each token is checked again every ten seconds.
 */
async function checkToken(c: AppContext, token: AccessToken, hash: string): Promise<string> {
  const services = c.get("services");
  if (!services.goodTokens.get(hash)) limitTokenChecks(c);
  const check = signedInUser(services, token);
  services.signedInUsers.set(hash, check);
  try {
    const userId = await check;
    services.goodTokens.set(hash, true);
    services.outages.worked("auth");
    return userId;
  } catch (error) {
    forgetToken(c, token);
    throw error;
  }
}

/** Forgets that a token was good: its session has ended. */
export function forgetToken(c: AppContext, { text }: AccessToken): void {
  const { signedInUsers, goodTokens } = c.get("services");
  const hash = sha256Hex(text);
  signedInUsers.delete(hash);
  goodTokens.delete(hash);
}
