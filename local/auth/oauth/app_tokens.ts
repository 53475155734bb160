import { z } from "zod";
import type { AuthContext } from "../context.ts";
import { AuthError } from "../errors.ts";
import { exchangeRefreshToken } from "../refresh_grant.ts";
import { type OpenSession, openSession, type Origin, sessionBody } from "../sessions.ts";
import { findUserById, isBanned } from "../users/users.ts";
import { isVerifierOf, type PendingApps } from "./pending_apps.ts";

const text = z.string().default("");
const formSchema = z.object({
  grant_type: text,
  client_id: text,
  code: text,
  code_verifier: text,
  redirect_uri: z.string().optional(),
  refresh_token: text,
});

type Form = z.infer<typeof formSchema>;

/** `POST /oauth/token`: the tokens of an app, for the code of a person who let it in or for a refresh token. */
export async function appTokens(
  context: AuthContext,
  { pending, origin }: { pending: PendingApps; origin: Origin },
  request: Request,
): Promise<Response> {
  const form = formSchema.parse(Object.fromEntries(new URLSearchParams(await request.text())));
  const opened = form.grant_type === "authorization_code"
    ? await openForCode(context, { pending, origin }, form)
    : form.grant_type === "refresh_token"
    ? await refreshed(context, form)
    : undefined;
  if (!opened) return refused(form.grant_type === "" ? "invalid_request" : "invalid_grant");
  const { access_token, token_type, expires_in, refresh_token } = await sessionBody(context, opened);
  return Response.json({ access_token, token_type, expires_in, refresh_token }, {
    headers: { "cache-control": "no-store" },
  });
}

async function openForCode(
  { sql }: AuthContext,
  { pending: { codes }, origin }: { pending: PendingApps; origin: Origin },
  { code, client_id, redirect_uri, code_verifier }: Form,
): Promise<OpenSession | undefined> {
  const found = codes.get(code);
  if (!found || found.app.client_id !== client_id) return undefined;
  // A code is good for one try.
  codes.delete(code);
  if (redirect_uri !== undefined && redirect_uri !== found.redirectUri) return undefined;
  if (!isVerifierOf(found.codeChallenge, code_verifier)) return undefined;
  const user = await findUserById(sql, found.userId!);
  if (!user || isBanned(user)) return undefined;
  return await openSession(sql, user, {
    ...origin,
    method: "oauth_provider/authorization_code",
    clientId: client_id,
  });
}

async function refreshed(
  { sql }: AuthContext,
  { refresh_token, client_id }: Form,
): Promise<OpenSession | undefined> {
  if (!z.uuid().safeParse(client_id).success) return undefined;
  try {
    return await exchangeRefreshToken(sql, refresh_token, client_id);
  } catch (error) {
    if (error instanceof AuthError) return undefined;
    throw error;
  }
}

function refused(error: string): Response {
  return Response.json({ error, error_description: "The app's request is refused" }, { status: 400 });
}
