import { z } from "zod";
import { AuthError } from "./auth_error.ts";
import type { AuthContext } from "./context.ts";
import { findUserById, isBanned, type UserRow } from "./users.ts";

/**
 * The user of the Bearer token and the session it belongs to, or a refusal in the words of Supabase Auth. A token without
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

/** The token of an `Authorization: Bearer …` header, or `no_authorization`. */
export function bearerToken(authorization: string | undefined): string {
  const [, token] = /^bearer\s+(\S+)$/i.exec(authorization ?? "") ?? [];
  if (token) return token;
  throw new AuthError(401, "no_authorization", "This endpoint requires a valid Bearer token");
}
