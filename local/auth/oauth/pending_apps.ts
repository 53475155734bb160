import { createHash, randomBytes } from "node:crypto";
import { createExpiringMap } from "../../../supabase/functions/_shared/concurrency/expiring_cache.ts";

/** An app that registered itself. */
export interface App {
  client_id: string;
  client_name: string;
  client_uri?: string | undefined;
  redirect_uris: string[];
}

/** A person's browser that an app sent here. */
export interface Authorization {
  id: string;
  app: App;
  redirectUri: string;
  state: string | undefined;
  codeChallenge: string;
  /** The person who looked at it first: from then on no other one decides. */
  userId?: string;
}

/** As long as Supabase Auth lets a request wait. */
const WAITS_MS = 10 * 60 * 1000;

/** Requests of apps until they have tokens. They are in memory: an app that asks during a restart asks again. */
export function createPendingApps() {
  const apps = createExpiringMap<string, App>({ ttlMs: Infinity, maxEntries: 1000 });
  const waiting = createExpiringMap<string, Authorization>({ ttlMs: WAITS_MS, maxEntries: 1000 });
  const codes = createExpiringMap<string, Authorization>({ ttlMs: WAITS_MS, maxEntries: 1000 });
  return { apps, waiting, codes };
}

export type PendingApps = ReturnType<typeof createPendingApps>;

/** Returns an id that is not to be guessed. */
export const newId = () => randomBytes(16).toString("hex");

/** Whether a verifier is the one whose hash an app gave at the start (PKCE, S256). */
export function isVerifierOf(challenge: string, verifier: string): boolean {
  return createHash("sha256").update(verifier).digest("base64url") === challenge;
}
