import { z } from "zod";
import type { AuthContext } from "../context.ts";
import { AuthError } from "../errors.ts";
import { requireUser } from "../guards.ts";
import { readBody } from "../request_body.ts";
import type { UserRow } from "../users/users.ts";
import { type Authorization, newId, type PendingApps } from "./pending_apps.ts";
import { withQuery } from "./register_app.ts";

/** A request that a person decides about. */
interface Asked {
  pending: PendingApps;
  authorization: string | undefined;
  id: string;
}

/** `GET /oauth/authorizations/{id}`: shows who asks, and ties the request to who looks at it. */
export async function showAuthorization(context: AuthContext, asked: Asked): Promise<Response> {
  const { user, found } = await find(context, asked);
  found.userId ??= user.id;
  if (found.userId !== user.id) throw notFound();
  const { client_id: id, client_name: name, client_uri: uri } = found.app;
  return Response.json({
    authorization_id: found.id,
    redirect_uri: found.redirectUri,
    client: { id, name, uri },
    user: { id: user.id, email: user.email },
    scope: "email",
  });
}

const bodySchema = z.object({ action: z.enum(["approve", "deny"]) });

/** `POST /oauth/authorizations/{id}/consent`: who has looked at a request decides about it, once. */
export async function consent(context: AuthContext, asked: Asked, request: Request): Promise<Response> {
  const { action } = await readBody(request, bodySchema);
  const { user, found } = await find(context, asked);
  if (found.userId !== user.id) throw notFound();
  const { waiting, codes } = asked.pending;
  waiting.delete(found.id);
  const { redirectUri, state } = found;
  if (action === "deny") {
    return Response.json({ redirect_url: withQuery(redirectUri, { error: "access_denied", state }) });
  }
  const code = newId();
  codes.set(code, found);
  return Response.json({ redirect_url: withQuery(redirectUri, { code, state }) });
}

async function find(
  context: AuthContext,
  { pending, authorization, id }: Asked,
): Promise<{ user: UserRow; found: Authorization }> {
  const { user } = await requireUser(context, authorization);
  const found = pending.waiting.get(id);
  if (!found) throw notFound();
  return { user, found };
}

function notFound(): AuthError {
  return new AuthError(404, "oauth_authorization_not_found", "authorization not found");
}
