import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { AuthContext } from "./context.ts";
import { AuthError } from "./errors.ts";
import { findUserById, isBanned, type UserRow } from "./users/users.ts";

/** Refuses a request without one of the project's keys in `apikey`, as the gateway of Supabase does. */
export function requireApiKey(context: AuthContext, apiKey: string | undefined): Response | undefined {
  if (apiKey === undefined) return Response.json({ message: "No API key found in request" }, { status: 401 });
  if (same(apiKey, context.publishableKey) || same(apiKey, context.secretKey)) return undefined;
  return Response.json({ message: "Invalid API key" }, { status: 401 });
}

/**
 * Requires the secret key, in `apikey` or as a Bearer token. Any other token must at least be one of this server and is
 * then refused as `not_admin`, as in Supabase Auth.
 */
export async function requireSecretKey(
  context: AuthContext,
  apiKey = "",
  authorization: string | undefined,
): Promise<void> {
  if (same(apiKey, context.secretKey)) return;
  const bearer = bearerToken(authorization);
  if (same(bearer, context.secretKey)) return;
  await context.signer.verify(bearer);
  throw new AuthError(403, "not_admin", "User not allowed");
}

function same(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Returns the user of the Bearer token and its session, or throws the refusal of Supabase Auth. A token without
 * `session_id` belongs to no session.
 */
export async function requireUser(
  { sql, signer }: AuthContext,
  authorization: string | undefined,
): Promise<{ user: UserRow; sessionId: string | undefined }> {
  const { sub, session_id } = await signer.verify(bearerToken(authorization));
  if (!sub) throw new AuthError(403, "bad_jwt", "invalid claim: missing sub claim");
  if (!z.uuid().safeParse(sub).success) {
    throw new AuthError(400, "bad_jwt", "invalid claim: sub claim must be a UUID");
  }
  const user = await findUserById(sql, sub);
  if (!user) throw new AuthError(403, "user_not_found", "User from sub claim in JWT does not exist");
  if (session_id !== undefined) await requireSession(sql, session_id);
  if (isBanned(user)) throw new AuthError(403, "user_banned", "User is banned");
  return { user, sessionId: session_id as string | undefined };
}

async function requireSession(sql: AuthContext["sql"], sessionId: unknown): Promise<void> {
  if (!z.uuid().safeParse(sessionId).success) {
    throw new AuthError(403, "bad_jwt", "invalid claim: session_id claim must be a UUID");
  }
  const [session] = await sql`select 1 from auth.sessions where id = ${String(sessionId)}`;
  if (session) return;
  throw new AuthError(403, "session_not_found", "Session from session_id claim in JWT does not exist");
}

/** Returns the token of an `Authorization: Bearer …` header, or throws `no_authorization`. */
export function bearerToken(authorization: string | undefined): string {
  const [, token] = /^bearer\s+(\S+)$/i.exec(authorization ?? "") ?? [];
  if (token) return token;
  throw new AuthError(401, "no_authorization", "This endpoint requires a valid Bearer token");
}
