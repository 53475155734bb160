import { timingSafeEqual } from "node:crypto";
import { AuthError } from "./auth_error.ts";
import type { AuthContext } from "./context.ts";

/** Lets through what carries one of the project's keys in `apikey`, as the gateway of Supabase does. */
export function requireApiKey(context: AuthContext, apiKey: string | undefined): Response | undefined {
  if (apiKey === undefined) return Response.json({ message: "No API key found in request" }, { status: 401 });
  if (same(apiKey, context.publishableKey) || same(apiKey, context.secretKey)) return undefined;
  return Response.json({ message: "Invalid API key" }, { status: 401 });
}

/** Lets through what carries the secret key, in `apikey` or as a Bearer token. */
export function requireSecretKey(context: AuthContext, apiKey = "", authorization = ""): void {
  const [, bearer = ""] = /^bearer\s+(\S+)$/i.exec(authorization) ?? [];
  if (same(apiKey, context.secretKey) || same(bearer, context.secretKey)) return;
  if (!bearer) throw new AuthError(401, "no_authorization", "This endpoint requires a valid Bearer token");
  throw new AuthError(403, "not_admin", "User not allowed");
}

function same(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array];
  return a.length === b.length && timingSafeEqual(a, b);
}
