import { z } from "zod";
import { accountEmail } from "../../supabase/functions/_shared/access/sign_in.ts";
import type { AuthContext } from "./context.ts";
import { AuthError } from "./errors.ts";
import { checkEmail, readBody } from "./request_body.ts";
import { openSession, type Origin, sessionBody } from "./sessions.ts";
import { findUserByEmail, findUsers, isBanned, type UserRow } from "./users/users.ts";

const bodySchema = z.object({ email: z.string().nullish().transform((value) => value ?? "") });

/** Supabase Auth sends an account one e-mail in this time. */
const EMAIL_GAP_S = 60;

/**
 * `POST /recover`, and `POST /otp` for an account: makes a link to log in without the password. No e-mail is sent: there
 * is no mail server here. An address without an account gets the same response, and no refusal for asking too often.
 */
export async function recover({ sql }: AuthContext, request: Request): Promise<Response> {
  const email = accountEmail((await readBody(request, bodySchema)).email);
  checkEmail(email);
  const user = await findUserByEmail(sql, email);
  if (!user) return Response.json({});
  if (user.recovery_sent_at && Date.now() - user.recovery_sent_at.getTime() < EMAIL_GAP_S * 1000) {
    const message = `For security purposes, you can only request this after ${EMAIL_GAP_S} seconds.`;
    throw new AuthError(429, "over_email_send_rate_limit", message);
  }
  await sql`
    update auth.users set recovery_token = ${crypto.randomUUID()}, recovery_sent_at = now() where id = ${user.id}`;
  return Response.json({});
}

/**
 * `GET /verify?token&type=invite|recovery|magiclink&redirect_to`: where the link of an e-mail leads. It confirms the
 * address, opens a session and leads on with the session in the fragment, or with the reason why there is none. A link
 * works once.
 */
export async function followLink(context: AuthContext, url: URL, origin: Origin): Promise<Response> {
  const type = url.searchParams.get("type") ?? "";
  const user = await takeLink(context, type, url.searchParams.get("token") ?? "");
  const fragment = user === undefined || isBanned(user)
    ? { error: "access_denied", error_code: "otp_expired", error_description: LINK_REFUSED }
    : { ...await sessionFields(context, user, origin), type };
  const location = `${url.searchParams.get("redirect_to") ?? url.origin}#${new URLSearchParams(fragment)}`;
  return new Response(null, { status: 303, headers: { location } });
}

const LINK_REFUSED = "Email link is invalid or has expired";

/** The column that holds the token of a link, by the link's type. */
const COLUMNS: Record<string, string> = {
  invite: "confirmation_token",
  recovery: "recovery_token",
  magiclink: "recovery_token",
};

async function takeLink({ sql }: AuthContext, type: string, token: string): Promise<UserRow | undefined> {
  const column = COLUMNS[type];
  if (column === undefined || !z.uuid().safeParse(token).success) return undefined;
  const [taken] = await sql<{ id: string }[]>`
    update auth.users set ${sql(column)} = '', email_confirmed_at = coalesce(email_confirmed_at, now())
    where ${sql(column)} = ${token} returning id`;
  return taken && (await findUsers(sql, sql`u.id = ${taken.id}`))[0];
}

async function sessionFields(
  context: AuthContext,
  user: UserRow,
  origin: Origin,
): Promise<Record<string, string>> {
  const opened = await openSession(context.sql, user, { ...origin, method: "otp" });
  const { access_token, token_type, expires_in, expires_at, refresh_token } = await sessionBody(
    context,
    opened,
  );
  return {
    access_token,
    token_type,
    expires_in: String(expires_in),
    expires_at: String(expires_at),
    refresh_token,
  };
}
