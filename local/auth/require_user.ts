import { AuthError } from "./auth_error.ts";
import type { AuthContext } from "./context.ts";
import { findUserById, isBanned, type UserRow } from "./users.ts";

/** The user of the Bearer token and the session it belongs to, or a refusal in the words of Supabase Auth. */
export async function requireUser(
  { sql, signer }: AuthContext,
  authorization: string | undefined,
): Promise<{ user: UserRow; sessionId: string }> {
  const { sub, session_id } = await signer.verify(bearerToken(authorization));
  if (!sub) throw new AuthError(403, "bad_jwt", "invalid claim: missing sub claim");
  const user = await findUserById(sql, sub);
  if (!user) throw new AuthError(403, "user_not_found", "User from sub claim in JWT does not exist");
  const [session] = await sql`select id from auth.sessions where id = ${String(session_id)}`;
  if (!session) {
    throw new AuthError(403, "session_not_found", "Session from session_id claim in JWT does not exist");
  }
  if (isBanned(user)) throw new AuthError(403, "user_banned", "User is banned");
  return { user, sessionId: session.id };
}

/** The token of an `Authorization: Bearer …` header. */
function bearerToken(authorization: string | undefined): string {
  const [, token] = /^bearer\s+(\S+)$/i.exec(authorization ?? "") ?? [];
  if (token) return token;
  throw new AuthError(401, "no_authorization", "This endpoint requires a valid Bearer token");
}
