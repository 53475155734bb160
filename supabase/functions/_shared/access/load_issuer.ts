import { z } from "zod";
import type { Env } from "../env.ts";
import { authUnavailable, fetchAuth } from "./auth_server.ts";

const configurationSchema = z.object({ issuer: z.string().min(1) });

/**
 * The issuer (`iss`) of the auth server's tokens, as it publishes it: the URL at which we reach the server may be another.
 * An older server publishes none, and must issue for SUPABASE_URL.
 *
 * Throws `service_unavailable` (502) when the auth server cannot be reached.
 */
export async function loadIssuer(env: Env): Promise<string> {
  const response = await fetchAuth(env, ".well-known/openid-configuration");
  const configuration = configurationSchema.safeParse(await response.json().catch(() => undefined));
  if (response.ok && configuration.success) return configuration.data.issuer;
  if (response.status !== 404) throw authUnavailable();
  return `${env.SUPABASE_URL!.replace(/\/+$/, "")}/auth/v1`;
}
