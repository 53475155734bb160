import { Buffer } from "node:buffer";
import { z } from "zod";
import { AppError } from "../errors.ts";
import type { Env } from "../env.ts";
import { authUnavailable, fetchAuth } from "./auth_server.ts";

/** A user's access token whose claims are valid. Its signature is not checked yet. */
export interface AccessToken {
  text: string;
  userId: string;
  issuer: string;
  /** How the user showed who they are: `aal2` with a second factor. */
  level: string;
  /** The app that the auth server issued it to for the user, by OAuth; undefined for the user's own log-in. */
  clientId: string | undefined;
}

/** The algorithms that Supabase Auth signs with. */
const headerSchema = z.object({ alg: z.enum(["ES256", "RS256", "HS256"]) });

const claimsSchema = z.object({
  iss: z.string(),
  sub: z.uuid(),
  aud: z.union([
    z.literal("authenticated"),
    z.array(z.string()).refine((list) => list.includes("authenticated")),
  ]),
  role: z.literal("authenticated"),
  exp: z.number(),
  nbf: z.number().optional(),
  aal: z.string().default("aal1"),
  client_id: z.string().min(1).optional(),
});

/**
 * Reads the token of an `Authorization: Bearer` header, and refuses what needs no request to the auth server. A token that
 * a user let an app have opens the tools of agents and nothing else: the user agreed to no more.
 *
 * Throws `unauthorized` for a token that is missing, malformed, not valid at `now`, or meant for something else.
 *
 * @param options `ofApp`: whether it may be one that was issued to an app
 */
export function readAccessToken(
  authorization: string | undefined,
  now: Date,
  { ofApp = false }: { ofApp?: boolean } = {},
): AccessToken {
  const { token, exp, nbf } = readExpiringToken(authorization);
  const nowS = now.getTime() / 1000;
  if (exp <= nowS || (nbf !== undefined && nbf > nowS)) throw invalidToken();
  if (token.clientId === undefined || ofApp) return token;
  throw new AppError("unauthorized", "This access token was issued to an app, and opens /mcp only: log in");
}

/** Reads the token as {@link readAccessToken} does, also one that has expired. */
export function readExpiringToken(
  authorization: string | undefined,
): { token: AccessToken; exp: number; nbf: number | undefined } {
  if (!authorization) {
    throw new AppError("unauthorized", "Missing access token: send Authorization: Bearer <access_token>");
  }
  const [, text, header, payload] = /^Bearer +(([\w-]+)\.([\w-]+)\.[\w-]+)$/i.exec(authorization) ?? [];
  if (text === undefined) throw invalidToken();
  const claims = claimsSchema.safeParse(decoded(payload!));
  if (!headerSchema.safeParse(decoded(header!)).success || !claims.success) throw invalidToken();
  const { exp, nbf, sub, iss, aal, client_id } = claims.data;
  return { token: { text, userId: sub, issuer: iss, level: aal, clientId: client_id }, exp, nbf };
}

function decoded(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString());
  } catch {
    return undefined;
  }
}

/** Returns the error for a token, the same for every fault. */
export function invalidToken(cause?: unknown): AppError {
  return new AppError("unauthorized", "The access token is invalid or has expired; log in again", { cause });
}

const configurationSchema = z.object({ issuer: z.string().min(1) });

/**
 * Returns the issuer (`iss`) of the auth server's tokens, as it publishes it: the URL at which we reach the server may be another.
 * An older server publishes none, and must issue for SUPABASE_URL.
 *
 * Throws `service_unavailable` (502) when the auth server cannot be reached.
 */
export async function loadIssuer(env: Env): Promise<string> {
  const response = await fetchAuth(env, ".well-known/openid-configuration");
  const configuration = configurationSchema.safeParse(await response.json().catch(() => undefined));
  if (response.ok && configuration.success) return configuration.data.issuer;
  if (response.status !== 404) throw authUnavailable();
  return `${env.SUPABASE_URL!}/auth/v1`;
}
