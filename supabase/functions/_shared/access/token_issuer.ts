import { z } from "zod";
import type { Env } from "../env.ts";
import { createExpiringCache, type ExpiringCache } from "../expiring_cache.ts";
import { authUnavailable, fetchAuth } from "./supabase_auth.ts";

const ISSUER_MS = 600_000;

const configurationSchema = z.object({ issuer: z.string().min(1) });

const caches = new WeakMap<Env, ExpiringCache<"issuer", string>>();

/**
 * The issuer (`iss`) of the auth server's tokens, as it publishes it: the URL at which we reach the server may be another.
 * An older server publishes none, and must issue for SUPABASE_URL.
 *
 * Throws `service_unavailable` (502) when the auth server cannot be reached.
 */
export async function tokenIssuer(env: Env): Promise<string> {
  const cache = caches.get(env) ??
    createExpiringCache(() => loadIssuer(env), { ttlMs: ISSUER_MS, maxEntries: 1 });
  caches.set(env, cache);
  return await cache.get("issuer");
}

async function loadIssuer(env: Env): Promise<string> {
  const response = await fetchAuth(env, ".well-known/openid-configuration");
  const configuration = configurationSchema.safeParse(await response.json().catch(() => undefined));
  if (response.ok && configuration.success) return configuration.data.issuer;
  if (response.status !== 404) throw authUnavailable();
  return `${env.SUPABASE_URL!.replace(/\/+$/, "")}/auth/v1`;
}
