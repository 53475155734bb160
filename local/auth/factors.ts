import { z } from "zod";
import type { AuthContext } from "./context.ts";
import { AuthError, validationFailed } from "./errors.ts";
import { requireUser } from "./guards.ts";
import { readBody } from "./request_body.ts";
import { insertRefreshToken, recordMethod, type Session, sessionResponse } from "./sessions.ts";
import { isCodeRight, newSecret } from "./totp.ts";
import { findUserById, type UserRow } from "./users/users.ts";

interface FactorRow {
  id: string;
  status: "verified" | "unverified";
  secret: string;
}

interface Caller {
  user: UserRow;
  session: Session;
}

async function requireCaller(context: AuthContext, authorization: string | undefined): Promise<Caller> {
  const { user, sessionId } = await requireUser(context, authorization);
  const [session] = await context.sql<Session[]>`
    select id, aal, oauth_client_id from auth.sessions where id = ${sessionId ?? null}`;
  if (!session) throw new AuthError(403, "session_not_found", "A session is required");
  return { user, session };
}

const enrollSchema = z.object({ factor_type: z.string().nullish(), friendly_name: z.string().nullish() });

/** `POST /factors`: begins to set up an app that shows codes. It counts once a code of it was verified. */
export async function enrollFactor(
  context: AuthContext,
  authorization: string | undefined,
  request: Request,
): Promise<Response> {
  const { user, session } = await requireCaller(context, authorization);
  const { factor_type, friendly_name } = await readBody(request, enrollSchema);
  if (factor_type !== "totp") throw validationFailed("factor_type needs to be totp, phone, or webauthn");
  const name = friendly_name ?? "";
  if (user.factors.some((factor) => factor.friendly_name === name)) throw nameConflict(name);
  if (user.factors.some(({ status }) => status === "verified") && session.aal === "aal1") {
    throw insufficient(403, "AAL2 required to enroll a new factor");
  }
  const secret = newSecret();
  const [factor] = await context.sql`
    insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, created_at, updated_at)
    values (gen_random_uuid(), ${user.id}, ${name}, 'totp', 'unverified', ${secret}, now(), now()) returning id`;
  const account = `${new URL(context.signer.issuer).host}:${user.email ?? ""}`;
  const uri = `otpauth://totp/${encodeURIComponent(account)}?secret=${secret}`;
  return Response.json({
    id: factor!.id,
    type: "totp",
    friendly_name: name,
    totp: { qr_code: PICTURE, secret, uri },
  });
}

/** Supabase Auth draws the `otpauth:` address as a QR code. */
const PICTURE = "<svg xmlns='http://www.w3.org/2000/svg' width='160' height='160' viewBox='0 0 160 160'>" +
  "<rect width='160' height='160' fill='#fff'/><text x='80' y='84' text-anchor='middle'>No QR code here</text></svg>";

function nameConflict(name: string): AuthError {
  const message = `A factor with the friendly name "${name}" for this user already exists`;
  return new AuthError(422, "mfa_factor_name_conflict", message);
}

function insufficient(status: number, message: string): AuthError {
  return new AuthError(status, "insufficient_aal", message);
}

async function loadFactor({ sql }: AuthContext, { user }: Caller, id: string): Promise<FactorRow> {
  const [factor] = z.uuid().safeParse(id).success
    ? await sql<FactorRow[]>`
      select id, status, secret from auth.mfa_factors where id = ${id} and user_id = ${user.id}`
    : [];
  if (factor) return factor;
  throw new AuthError(404, "mfa_factor_not_found", "Factor not found");
}

const CHALLENGE_S = 300;

/** `POST /factors/{id}/challenge`: opens the time in which a code may be entered. */
export async function challengeFactor(
  context: AuthContext,
  authorization: string | undefined,
  id: string,
): Promise<Response> {
  const factor = await loadFactor(context, await requireCaller(context, authorization), id);
  const [challenge] = await context.sql`
    insert into auth.mfa_challenges (id, factor_id, created_at, ip_address)
    values (gen_random_uuid(), ${factor.id}, now(), '127.0.0.1')
    returning id, extract(epoch from created_at)::int + ${CHALLENGE_S} as expires_at`;
  return Response.json({ id: challenge!.id, type: "totp", expires_at: challenge!.expires_at });
}

const verifySchema = z.object({ challenge_id: z.uuid(), code: z.string() });

/**
 * `POST /factors/{id}/verify`: checks a code. The session gets its second level and other tokens; the user's sessions of
 * the first level end.
 */
export async function verifyFactor(
  context: AuthContext,
  authorization: string | undefined,
  id: string,
  request: Request,
): Promise<Response> {
  const { sql } = context;
  const caller = await requireCaller(context, authorization);
  const factor = await loadFactor(context, caller, id);
  const { challenge_id, code } = await readBody(request, verifySchema);
  await useChallenge(context, factor, challenge_id, code);
  const { user, session } = caller;
  const refreshToken = await sql.begin(async (transaction) => {
    await transaction`
      update auth.mfa_factors set status = 'verified', updated_at = now() where id = ${factor.id}`;
    await recordMethod(transaction, session.id, "totp");
    await transaction`
      update auth.sessions set aal = 'aal2', factor_id = ${factor.id}, updated_at = now() where id = ${session.id}`;
    await transaction`delete from auth.sessions where user_id = ${user.id} and aal < 'aal2'`;
    await transaction`
      delete from auth.mfa_factors where user_id = ${user.id} and status = 'unverified'`;
    const [active] = await transaction<{ token: string }[]>`
      update auth.refresh_tokens set revoked = true, updated_at = clock_timestamp()
      where session_id = ${session.id} and not revoked returning token`;
    const token = { userId: user.id, sessionId: session.id };
    return await insertRefreshToken(transaction, active ? { ...token, parent: active.token } : token);
  });
  return await sessionResponse(context, {
    user: (await findUserById(sql, user.id))!,
    session: { ...session, aal: "aal2" },
    refreshToken,
  });
}

async function useChallenge(
  { sql }: AuthContext,
  factor: FactorRow,
  challengeId: string,
  code: string,
): Promise<void> {
  const [challenge] = await sql<{ is_open: boolean }[]>`
    select verified_at is null and created_at > now() - make_interval(secs => ${CHALLENGE_S}) as is_open
    from auth.mfa_challenges where id = ${challengeId} and factor_id = ${factor.id}`;
  if (!challenge) {
    throw new AuthError(422, "mfa_factor_not_found", "MFA factor with the provided challenge ID not found");
  }
  if (!challenge.is_open) throw new AuthError(422, "mfa_challenge_expired", "MFA challenge has expired");
  if (!isCodeRight(factor.secret, code)) {
    throw new AuthError(422, "mfa_verification_failed", "Invalid TOTP code entered");
  }
  await sql`update auth.mfa_challenges set verified_at = now() where id = ${challengeId}`;
}

/** `DELETE /factors/{id}`: removes a factor. One that counts takes a session of the second level. */
export async function removeFactor(
  context: AuthContext,
  authorization: string | undefined,
  id: string,
): Promise<Response> {
  const caller = await requireCaller(context, authorization);
  const factor = await loadFactor(context, caller, id);
  if (factor.status === "verified" && caller.session.aal === "aal1") {
    throw insufficient(422, "AAL2 required to unenroll verified factor");
  }
  await context.sql.begin(async (transaction) => {
    await transaction`
      delete from auth.mfa_amr_claims as claim using auth.sessions as session
      where claim.session_id = session.id and session.factor_id = ${factor.id}
        and claim.authentication_method = 'totp'`;
    await transaction`update auth.sessions set aal = 'aal1', factor_id = null where factor_id = ${factor.id}`;
    await transaction`delete from auth.mfa_factors where id = ${factor.id}`;
  });
  return Response.json({ id: factor.id });
}
