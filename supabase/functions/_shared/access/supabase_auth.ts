import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { AppError, upstreamUnavailable } from "../errors.ts";
import type { Env } from "../env.ts";
import { fetchInTime } from "../gateways/fetch_in_time.ts";

/** supabase-js waits for ever; a login server that says nothing this long is as good as gone. */
const LONGEST_WAIT_MS = 10_000;

/**
 * A client of the auth server that keeps nothing between calls. One per sign-in: a client remembers whom it signed in.
 *
 * Throws `internal_error` when SUPABASE_URL or SUPABASE_PUBLISHABLE_KEY is not set.
 */
export function createAuthClient(env: Env): SupabaseClient {
  if (!env.SUPABASE_URL || !env.SUPABASE_PUBLISHABLE_KEY) {
    throw new AppError("internal_error", "Login is not configured on this server");
  }
  return createClient(env.SUPABASE_URL, env.SUPABASE_PUBLISHABLE_KEY, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: fetchInTime(LONGEST_WAIT_MS) },
  });
}

/** The auth server did not answer, or not sensibly: 502. */
export function authUnavailable(cause?: unknown): AppError {
  return upstreamUnavailable("auth", "The login service cannot be reached; try again in a moment", { cause });
}
