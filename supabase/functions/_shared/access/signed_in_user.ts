import { isAuthRetryableFetchError } from "@supabase/supabase-js";
import { z } from "zod";
import { AppError } from "../errors.ts";
import type { Env } from "../env.ts";
import { authUnavailable, createAuthClient } from "./supabase_auth.ts";

/** supabase-js checks signature and expiry only; whom a token is for is up to us. */
const claimsSchema = z.object({
  sub: z.uuid(),
  aud: z.union([
    z.literal("authenticated"),
    z.array(z.string()).refine((list) => list.includes("authenticated")),
  ]),
  role: z.literal("authenticated"),
});

type AuthClient = ReturnType<typeof createAuthClient>;

/** Verifying signs nobody in, so one client serves all calls and keeps the auth server's public keys for a while. */
const verifiers = new WeakMap<Env, AuthClient>();

/**
 * The id of the user whose access token is in an `Authorization: Bearer` header.
 *
 * Throws `unauthorized` for a token that is missing, forged, expired or meant for something else.
 */
export async function signedInUser(env: Env, authorization: string | undefined): Promise<string> {
  const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) {
    throw unauthorized("Missing access token: send Authorization: Bearer <access_token>");
  }
  const { data, error } = await claimsOf(env, token);
  if (isAuthRetryableFetchError(error)) throw authUnavailable(error);
  const claims = claimsSchema.safeParse(data?.claims);
  if (error || !claims.success) {
    throw unauthorized("The access token is invalid or has expired; log in again");
  }
  return claims.data.sub;
}

async function claimsOf(env: Env, token: string) {
  const client = verifiers.get(env) ?? createAuthClient(env);
  verifiers.set(env, client);
  try {
    return await client.auth.getClaims(token);
  } catch (cause) {
    throw unauthorized("The access token is not a valid token", cause);
  }
}

function unauthorized(message: string, cause?: unknown): AppError {
  return new AppError("unauthorized", message, { cause });
}
