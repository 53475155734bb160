import { z } from "@hono/zod-openapi";
import { readAccessToken } from "../_shared/access/access_token.ts";
import type { Person } from "../_shared/access/authorizations.ts";
import { AppError } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app/context.ts";
import { requireUser } from "../_shared/http/guards/require_user.ts";

/** As long as the auth server makes them, and more. */
const ID = /^[\w-]{1,100}$/;

/** The parameter in the path of the routes of one request of an app. */
export const authorizationParams = z.object({
  authorization_id: z.string().regex(ID).openapi({ example: "qz3k7v2m5c4x" }),
});

export const decidedSchema = z.object({
  redirect_url: z.string().openapi({ description: "The app's own address: the browser goes on there" }),
}).openapi("AppDecision");

export const DECIDED_EXAMPLE = { redirect_url: "https://app.example/callback?code=c0de&state=x" };

/** Returns the request in the path. Throws `not_found` for what is no id. */
export function readAuthorizationId(c: AppContext): string {
  const id = authorizationParams.safeParse(c.req.param()).data?.authorization_id;
  if (id === undefined) throw new AppError("not_found", "No app waits under this address");
  return id;
}

/** Returns who decides, by their own access token. Throws what `requireUser` throws. */
export async function requirePerson(c: AppContext): Promise<Person> {
  await requireUser(c);
  const { env, now } = c.get("services");
  return { env, token: readAccessToken(c.req.header("Authorization"), now()).text };
}
