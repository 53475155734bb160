import type postgres from "postgres";
import { z } from "zod";
import { AuthError, validationFailed } from "./errors.ts";
import type { AuthContext } from "./context.ts";
import { readBody } from "./request_body.ts";
import { insertRefreshToken, type OpenSession, type Session, sessionResponse } from "./sessions.ts";
import { findUserById, isBanned, type UserRow } from "./users/users.ts";

const bodySchema = z.object({ refresh_token: z.string().nullish() });

/** The time in which a used or revoked token may be used again, in seconds: two tabs often refresh at the same moment. */
const REUSE_INTERVAL_S = 10;

interface TokenRow {
  token: string;
  revoked: boolean;
  parent: string | null;
  session_id: string | null;
  user_id: string;
  used_lately: boolean;
}

type Outcome = OpenSession | { refused: AuthError };

/** `POST /token?grant_type=refresh_token`: returns a new access token and replaces the refresh token. */
export async function refreshGrant(context: AuthContext, request: Request): Promise<Response> {
  const { refresh_token } = await readBody(request, bodySchema);
  return await sessionResponse(context, await exchangeRefreshToken(context.sql, refresh_token ?? "", null));
}

/**
 * Returns a session with its next refresh token. Throws the refusal of a token that is used up, unknown, or another app's.
 *
 * @param clientId the app that asks; null for the user's own log-in
 */
export async function exchangeRefreshToken(
  sql: postgres.Sql,
  token: string,
  clientId: string | null,
): Promise<OpenSession> {
  if (!/^[a-z0-9]{12}$/.test(token)) throw validationFailed("Refresh token is not valid");
  // A refusal can revoke the whole family, so it must not roll back the transaction.
  const outcome = await sql.begin((transaction) => exchange(transaction, token, clientId));
  if ("refused" in outcome) throw outcome.refused;
  return outcome;
}

async function exchange(
  transaction: postgres.TransactionSql,
  token: string,
  clientId: string | null,
): Promise<Outcome> {
  const row = await findToken(transaction, token);
  if (!row) return refuse("refresh_token_not_found", "Refresh Token Not Found");
  const user = await findUserById(transaction, row.user_id);
  if (!user) return refuse("refresh_token_not_found", "Refresh Token Not Found");
  if (isBanned(user)) return refuse("user_banned", "User Banned");
  const session = await lockSession(transaction, row.session_id);
  if (!session) return refuse("session_not_found", "No Valid Session Found");
  // Otherwise an app could make of its token one that opens everything.
  if (session.oauth_client_id !== clientId) return refuse("invalid_client", "Issued to another client");
  const refreshToken = await swap(transaction, token, user, session);
  if (!refreshToken) return refuse("refresh_token_already_used", "Already Used");
  return { session, user, refreshToken };
}

function refuse(code: string, reason: string): Outcome {
  return { refused: new AuthError(400, code, `Invalid Refresh Token: ${reason}`) };
}

async function findToken(transaction: postgres.TransactionSql, token: string): Promise<TokenRow | undefined> {
  const [row] = await transaction<TokenRow[]>`
    select token, revoked, parent, session_id, user_id,
      updated_at > clock_timestamp() - make_interval(secs => ${REUSE_INTERVAL_S}) as used_lately
    from auth.refresh_tokens where token = ${token}`;
  return row;
}

/** Locks the session's row, so that of two simultaneous refreshes the second sees the first. */
async function lockSession(
  transaction: postgres.TransactionSql,
  sessionId: string | null,
): Promise<Session | undefined> {
  const [session] = await transaction<Session[]>`
    update auth.sessions set refreshed_at = now() at time zone 'utc', updated_at = now()
    where id = ${sessionId} returning id, aal, oauth_client_id`;
  return session;
}

/** Returns the replacement of a token, or undefined when the token was used before. */
async function swap(
  transaction: postgres.TransactionSql,
  token: string,
  user: UserRow,
  session: Session,
): Promise<string | undefined> {
  const presented = (await findToken(transaction, token))!;
  if (presented.revoked) {
    const [active] = await transaction<TokenRow[]>`
      select token, parent from auth.refresh_tokens
      where session_id = ${session.id} and not revoked order by id desc limit 1`;
    if (active?.parent === token) return active.token;
    if (!presented.used_lately) {
      await revoke(transaction, transaction`session_id = ${session.id}`);
      return undefined;
    }
  }
  await revoke(transaction, transaction`token = ${token}`);
  return await insertRefreshToken(transaction, { userId: user.id, sessionId: session.id, parent: token });
}

async function revoke(transaction: postgres.TransactionSql, condition: postgres.Fragment): Promise<void> {
  await transaction`
    update auth.refresh_tokens set revoked = true, updated_at = clock_timestamp()
    where ${condition} and not revoked`;
}
