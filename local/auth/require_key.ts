import { timingSafeEqual } from "node:crypto";
import { AuthError } from "./auth_error.ts";
import type { AuthContext } from "./context.ts";
import { bearerToken } from "./require_user.ts";

/** Lets through what carries one of the project's keys in `apikey`, as the gateway of Supabase does. */
export function requireApiKey(context: AuthContext, apiKey: string | undefined): Response | undefined {
  if (apiKey === undefined) return Response.json({ message: "No API key found in request" }, { status: 401 });
  if (same(apiKey, context.publishableKey) || same(apiKey, context.secretKey)) return undefined;
  return Response.json({ message: "Invalid API key" }, { status: 401 });
}

/**
 * Lets through a request with the secret key, in `apikey` or as a Bearer token. Anything else must at least be a token of
 * this server, as Supabase Auth has it, and is refused as `not_admin` then.
 */
export async function requireSecretKey(
  context: AuthContext,
  apiKey = "",
  authorization: string | undefined,
): Promise<void> {
  if (same(apiKey, context.secretKey)) return;
  const bearer = bearerToken(authorization);
  if (same(bearer, context.secretKey)) return;
  await context.signer.verify(bearer);
  throw new AuthError(403, "not_admin", "User not allowed");
}

function same(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array];
  return a.length === b.length && timingSafeEqual(a, b);
}
