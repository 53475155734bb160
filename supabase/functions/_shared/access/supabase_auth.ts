import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { AppError } from "../errors.ts";
import type { Env } from "../env.ts";
import { fetchInTime } from "../gateways/fetch_in_time.ts";

/** supabase-js waits for ever; a login server that says nothing this long is as good as gone. */
const LONGEST_WAIT_MS = 10_000;
import { fetchInTime } from "../gateways/fetch_in_time.ts";

/** The auth server did not answer, or not sensibly: 502. */
export function authUnavailable(cause?: unknown): AppError {
  return new AppError("service_unavailable", "The login service cannot be reached; try again in a moment", {
    status: 502,
    details: { service: "auth", estimated_recovery: null },
    cause,
  });
}
