import { z } from "zod";
import { AppError } from "../errors.ts";
import type { Env } from "../env.ts";
import { readAuthData, requestAuth } from "./auth_server.ts";

/** A browser runs what addresses of these schemes hold, or opens what is on the person's own machine. */
export const UNSAFE_SCHEMES: ReadonlySet<string> = new Set([
  "javascript:",
  "data:",
  "vbscript:",
  "blob:",
  "file:",
  "about:",
]);

const urlSchema = z.url().refine((url) => !UNSAFE_SCHEMES.has(new URL(url).protocol));

const waitingSchema = z.object({
  redirect_uri: urlSchema,
  client: z.object({ id: z.string(), name: z.string().default(""), uri: z.string().default("") }),
  user: z.object({ email: z.string().default("") }).default({ email: "" }),
});

const decidedSchema = z.object({ redirect_url: urlSchema });

/** An app that waits for a person to let it use the tools, as the auth server has it. */
export type WaitingApp = z.infer<typeof waitingSchema>;

/** Where the person goes on: the app's own address, with a code or a refusal. */
export type Decided = z.infer<typeof decidedSchema>;

/** The person who decides about an app. */
export interface Person {
  env: Env;
  /** The person's access token. */
  token: string;
}

/**
 * Returns the app that asks, or where to go on with one that the person let in before. From then on no other person can
 * decide about this request.
 *
 * Source: the OAuth 2.1 server of Supabase Auth, `GET /oauth/authorizations/{id}`.
 *
 * Throws `not_found` for a request that is unknown, decided, too old or another person's, `rate_limit_exceeded` and
 * `service_unavailable` (502).
 */
export async function readAuthorization({ env, token }: Person, id: string): Promise<WaitingApp | Decided> {
  const { data, refusal } = await requestAuth(env, `oauth/authorizations/${id}`, { token });
  if (refusal) throw notFound(refusal);
  return readAuthData(z.union([decidedSchema, waitingSchema]), data);
}

/**
 * Lets an app in, or refuses it, and returns where to go on. Throws what {@link readAuthorization} throws.
 *
 * Source: the OAuth 2.1 server of Supabase Auth, `POST /oauth/authorizations/{id}/consent`.
 */
export async function decideAuthorization(
  { env, token }: Person,
  { id, approve }: { id: string; approve: boolean },
): Promise<Decided> {
  const { data, refusal } = await requestAuth(env, `oauth/authorizations/${id}/consent`, {
    method: "POST",
    token,
    body: { action: approve ? "approve" : "deny" },
  });
  if (refusal) throw notFound(refusal);
  return readAuthData(decidedSchema, data);
}

function notFound(cause: unknown): AppError {
  return new AppError("not_found", "No app waits under this address; begin again in the app", { cause });
}
