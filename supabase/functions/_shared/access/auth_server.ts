import {
  type AuthError,
  createClient,
  isAuthError,
  isAuthRetryableFetchError,
  type SupabaseClient,
} from "@supabase/supabase-js";
import { AppError, badFormat, upstreamUnavailable } from "../errors.ts";
import type { Env } from "../env.ts";
import { fetchInTime, retryAfterSeconds } from "../gateways/http_client.ts";

/** supabase-js has no timeout; an auth server that is silent for this long counts as unreachable. */
export const AUTH_TIMEOUT_MS = 10_000;

/** Options of a client that keeps no session. */
export const NO_SESSION = { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false };

/** Supabase Auth sends no `Retry-After`; a gateway in front of it may. */
const DEFAULT_RETRY_AFTER_S = 60;
const MAX_RETRY_AFTER_S = 3600;

/** A client of the auth server for one request; a client keeps the user whom it signed in. */
export interface AuthServer {
  auth: SupabaseClient["auth"];
  /**
   * Returns what to throw for an error that is not about the user: `rate_limit_exceeded` when the auth server receives
   * too many requests, `service_unavailable` (502) when it cannot be reached or refuses our key. Undefined when it refused
   * the user.
   */
  failure(error: AuthError): AppError | undefined;
}

/**
 * Makes a client of the auth server that keeps nothing between requests.
 *
 * With `clientAddress`, the auth server counts the request against that address and not against ours, which all users
 * share. It accepts that only with a secret key of the new kind (`sb_secret_…`), and only where "IP Address
 * Forwarding" is switched on in the project; without such a key the header is not sent.
 *
 * Throws `internal_error` when SUPABASE_URL or SUPABASE_PUBLISHABLE_KEY is not set.
 */
export function connectAuthServer(
  env: Env,
  { clientAddress }: { clientAddress?: string | undefined } = {},
): AuthServer {
  const { url, publishableKey } = settings(env);
  const secretKey = env.SUPABASE_SECRET_KEY;
  const forwards = clientAddress !== undefined && secretKey?.startsWith("sb_secret_");
  let retryAfterS: number | undefined;
  const client = createClient(url, forwards ? secretKey! : publishableKey, {
    auth: NO_SESSION,
    global: {
      headers: forwards ? { "Sb-Forwarded-For": clientAddress } : {},
      fetch: async (input, init) => {
        const response = await fetchInTime(AUTH_TIMEOUT_MS)(input, init);
        retryAfterS = retryAfterSeconds(response.headers);
        return response;
      },
    },
  });
  return {
    auth: client.auth,
    failure(error) {
      if (error.status === 429) return tooManyRequests(retryAfterS, error);
      return isAuthRetryableFetchError(error) || !isRefusal(error.status)
        ? authUnavailable(error)
        : undefined;
    },
  };
}

/** 401 and 404 come from the gateway before the auth server: our key or the URL is wrong, not what the user sent. */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status < 500 && status !== 401 && status !== 404;
}

/** Without `details`, because the auth server does not say which limit was reached. */
function tooManyRequests(retryAfterS: number | undefined, cause: unknown): AppError {
  const waitS = Math.min(Math.max(retryAfterS ?? DEFAULT_RETRY_AFTER_S, 1), MAX_RETRY_AFTER_S);
  return new AppError(
    "rate_limit_exceeded",
    `The login service receives too many requests; wait ${waitS} s`,
    {
      retryAfterS: waitS,
      cause,
    },
  );
}

/** Requests a public document of the auth server. Throws `service_unavailable` (502) when it cannot be reached. */
export async function fetchAuth(env: Env, path: string): Promise<Response> {
  const { url, publishableKey } = settings(env);
  const headers = { apikey: publishableKey };
  try {
    return await fetchInTime(AUTH_TIMEOUT_MS)(`${url.replace(/\/+$/, "")}/auth/v1/${path}`, { headers });
  } catch (cause) {
    throw authUnavailable(cause);
  }
}

function settings({ SUPABASE_URL: url, SUPABASE_PUBLISHABLE_KEY: publishableKey }: Env) {
  if (url && publishableKey) return { url, publishableKey };
  throw new AppError("internal_error", "Login is not configured on this server");
}

/** Returns the error for an auth server that does not respond, or not sensibly. */
export function authUnavailable(cause?: unknown): AppError {
  return upstreamUnavailable("auth", "The login service cannot be reached; retry in a moment", { cause });
}

/** Supabase Auth does not say when it sends e-mails again. */
const EMAIL_WAIT_S = 60;

/**
 * Waits for a request of an administrator to the auth server.
 *
 * Throws `rate_limit_exceeded` when it sends too many e-mails, `validation_failed` when it refuses the e-mail, and
 * `service_unavailable` (502) when it cannot be reached, cannot send e-mails, or refuses our key.
 */
export async function askAuthServer<Result>(request: Promise<Result>, email?: string): Promise<Result> {
  try {
    return await request;
  } catch (error) {
    if (!isAuthError(error)) throw error;
    if (error.status === 429) throw tooManyEmails(error);
    if (error.status === 400 || error.status === 422) {
      throw badFormat("email", email, "an e-mail address that the login service accepts");
    }
    throw authUnavailable(error);
  }
}

function tooManyEmails(cause: unknown): AppError {
  const message = `The login service receives too many requests; wait ${EMAIL_WAIT_S} s`;
  return new AppError("rate_limit_exceeded", message, { retryAfterS: EMAIL_WAIT_S, cause });
}
