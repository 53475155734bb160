import { randomInt } from "node:crypto";
import type postgres from "postgres";
import type { AuthContext } from "./context.ts";
import { validationFailed } from "./errors.ts";
import { requireUser } from "./guards.ts";
import { TOKEN_LIFETIME_S } from "./token_signer.ts";
import { findUserById, userBody, type UserRow } from "./users/users.ts";

const NO_INSTANCE = "00000000-0000-0000-0000-000000000000";

export interface Session {
  id: string;
  /** How sure it is who it is: `aal2` after a second factor. */
  aal: string;
  /** The app that the user let in; null for a log-in of their own. */
  oauth_client_id: string | null;
}

/** How a user logged in. */
type Method = "password" | "otp" | "totp" | "oauth_provider/authorization_code";

/** The origin of a log-in, for the session's row. */
export interface Origin {
  userAgent: string | undefined;
  ip: string | undefined;
}

/** Opens a session for a user who has just logged in and returns it with its first refresh token. */
export async function openSession(
  sql: postgres.Sql,
  user: UserRow,
  { userAgent, ip, method = "password", clientId }: Origin & { method?: Method; clientId?: string },
): Promise<OpenSession> {
  return await sql.begin(async (transaction) => {
    await transaction`update auth.users set last_sign_in_at = now(), updated_at = now() where id = ${user.id}`;
    await transaction`
      update auth.identities set last_sign_in_at = now(), updated_at = now()
      where user_id = ${user.id} and provider = 'email'`;
    const [session] = await transaction<Session[]>`
      insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip, oauth_client_id)
      values (gen_random_uuid(), ${user.id}, now(), now(), 'aal1', ${userAgent ?? null}, ${ip ?? null},
        ${clientId ?? null})
      returning id, aal, oauth_client_id`;
    await recordMethod(transaction, session!.id, method);
    const refreshToken = await insertRefreshToken(transaction, { userId: user.id, sessionId: session!.id });
    const signedIn = await findUserById(transaction, user.id);
    return { user: signedIn!, session: session!, refreshToken };
  });
}

/** Records how the user of a session has just shown who they are, for `amr` in its tokens. */
export async function recordMethod(
  transaction: postgres.TransactionSql,
  sessionId: string,
  method: Method,
): Promise<void> {
  await transaction`
    insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
    values (gen_random_uuid(), ${sessionId}, now(), now(), ${method})
    on conflict (session_id, authentication_method) do update set updated_at = now()`;
}

/** Stores a new refresh token of a session and returns it. `parent` is the token that it replaces. */
export async function insertRefreshToken(
  transaction: postgres.TransactionSql,
  { userId, sessionId, parent }: { userId: string; sessionId: string; parent?: string },
): Promise<string> {
  const token = newRefreshToken();
  await transaction`
    insert into auth.refresh_tokens
      (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
    values (${NO_INSTANCE}, ${token}, ${userId}, false, clock_timestamp(), clock_timestamp(), ${
    parent ?? null
  },
      ${sessionId})`;
  return token;
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";

function newRefreshToken(): string {
  return Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** A user with a session and its refresh token. */
export interface OpenSession {
  user: UserRow;
  session: Session;
  refreshToken: string;
}

/** The body of the response to a log-in or a refresh, in the key order of Supabase Auth. */
export async function sessionBody(
  { sql, signer }: AuthContext,
  { user, session, refreshToken }: OpenSession,
) {
  const amr = await sql`
    select authentication_method as method, extract(epoch from updated_at)::int as timestamp
    from auth.mfa_amr_claims where session_id = ${session.id} order by updated_at desc`;
  const { token, expiresAt } = await signer.sign({
    sub: user.id,
    aud: user.aud,
    email: user.email ?? "",
    phone: user.phone ?? "",
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    role: user.role,
    aal: session.aal,
    amr,
    session_id: session.id,
    ...(session.oauth_client_id !== null && { client_id: session.oauth_client_id }),
    is_anonymous: user.is_anonymous,
  });
  return {
    access_token: token,
    token_type: "bearer",
    expires_in: TOKEN_LIFETIME_S,
    expires_at: expiresAt,
    refresh_token: refreshToken,
    user: userBody(user),
  };
}

/** The response to a log-in or a refresh. */
export async function sessionResponse(
  context: AuthContext,
  open: OpenSession,
  more: Record<string, unknown> = {},
): Promise<Response> {
  return Response.json({ ...await sessionBody(context, open), ...more }, {
    headers: {
      "sb-auth-user-id": open.user.id,
      "sb-auth-session-id": open.session.id,
      "sb-auth-refresh-token-prefix": open.refreshToken.slice(0, 5),
      "cache-control": "no-store",
    },
  });
}

/**
 * `POST /logout?scope=global|local|others`: ends all sessions of the user, this one, or all but this one, with their
 * refresh tokens. Issued access tokens stay valid until they expire.
 */
export async function logout(
  context: AuthContext,
  authorization: string | undefined,
  scope = "global",
): Promise<Response> {
  const { user, sessionId } = await requireUser(context, authorization);
  const { sql } = context;
  const which = {
    global: sql`true`,
    local: sql`id = ${sessionId ?? null}`,
    others: sql`id is distinct from ${sessionId ?? null}`,
  }[scope];
  if (!which) throw validationFailed(`Unsupported logout scope "${scope}"`);
  await sql`delete from auth.sessions where user_id = ${user.id} and ${which}`;
  return new Response(null, { status: 204 });
}
