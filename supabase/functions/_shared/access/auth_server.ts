import { z } from "zod";
import { AppError, upstreamUnavailable } from "../errors.ts";
import type { Env } from "../env.ts";
import { fetchInTime, retryAfterSeconds } from "../gateways/http_client.ts";

/** An auth server that is silent for this long counts as unreachable. */
export const AUTH_TIMEOUT_MS = 10_000;

/** Supabase Auth sends no `Retry-After`; a gateway in front of it may. */
const DEFAULT_RETRY_AFTER_S = 60;
const MAX_RETRY_AFTER_S = 3600;

/** A request to the auth server for a user. */
export interface AuthRequest {
  /** @default GET */
  method?: "GET" | "POST" | "PUT" | "DELETE";
  /** The user's access token. */
  token?: string;
  body?: Record<string, unknown>;
  /**
   * The auth server counts the request against this address and not against ours, which all users share. It accepts that
   * only with a secret key of the new kind (`sb_secret_…`), and only where "IP Address Forwarding" is switched on in the
   * project; without such a key the header is not sent.
   */
  clientAddress?: string | undefined;
}

/** Why the auth server refused a user. Its own message is not shown: it may say who has an account. */
export interface AuthRefusal {
  status: number;
  /** Its code, such as `invalid_credentials`; empty when it sent none. */
  code: string;
}

export type AuthResponse = { data: unknown; refusal?: undefined } | {
  data?: undefined;
  refusal: AuthRefusal;
};

/**
 * Makes a request to the auth server for a user, and returns its data or why it refused the user.
 *
 * Throws `rate_limit_exceeded` when the auth server receives too many requests, `service_unavailable` (502) when it cannot
 * be reached or refuses our key, and `internal_error` when SUPABASE_URL or SUPABASE_PUBLISHABLE_KEY is not set.
 *
 * @param path below `/auth/v1/`
 */
export async function requestAuth(env: Env, path: string, request: AuthRequest = {}): Promise<AuthResponse> {
  const response = await fetchAuth(env, path, request);
  const data: unknown = response.status === 204 ? undefined : await response.json().catch(() => undefined);
  if (response.ok) {
    if (data === undefined && response.status !== 204) throw authUnavailable();
    return { data };
  }
  const refusal = { status: response.status, code: codeOf(data) };
  if (response.status === 429) throw tooManyRequests(retryAfterSeconds(response.headers), refusal);
  if (!isAboutUser(response)) throw authUnavailable(refusal);
  return { refusal };
}

const errorSchema = z.object({
  code: z.unknown(),
  error_code: z.string().optional(),
});

function codeOf(data: unknown): string {
  const { code, error_code } = errorSchema.safeParse(data).data ?? {};
  return typeof code === "string" ? code : error_code ?? "";
}

/**
 * The auth server names the code of each refusal of its own in a header. Without that, 401 and 404 come from the gateway
 * before it: our key or the URL is wrong, not what the user sent. 409: it handles another request of the same session.
 */
function isAboutUser({ status, headers }: Response): boolean {
  if (status === 401 || status === 404) return headers.has("X-Sb-Error-Code");
  return status < 500 && status !== 409;
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

/** Makes a request to the auth server. Throws `service_unavailable` (502) when it cannot be reached. */
export async function fetchAuth(
  env: Env,
  path: string,
  { method = "GET", token, body, clientAddress }: AuthRequest = {},
): Promise<Response> {
  const { url, publishableKey } = settings(env);
  const secretKey = env.SUPABASE_SECRET_KEY;
  const forwards = clientAddress !== undefined && secretKey?.startsWith("sb_secret_");
  const headers = {
    apikey: forwards ? secretKey! : publishableKey,
    "X-Supabase-Api-Version": API_VERSION,
    ...(forwards && { "Sb-Forwarded-For": clientAddress }),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
  };
  try {
    return await fetchInTime(AUTH_TIMEOUT_MS)(`${url}/auth/v1/${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch (cause) {
    throw authUnavailable(cause);
  }
}

/** The version whose errors are `{code, message}`. */
const API_VERSION = "2024-01-01";

function settings({ SUPABASE_URL: url, SUPABASE_PUBLISHABLE_KEY: publishableKey }: Env) {
  if (url && publishableKey) return { url, publishableKey };
  throw new AppError("internal_error", "Login is not configured on this server");
}

/** Returns data of the auth server in the form of a schema. Throws `service_unavailable` (502) for anything else. */
export function readAuthData<Schema extends z.ZodType>(schema: Schema, data: unknown): z.infer<Schema> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  throw authUnavailable(result.error);
}

/** Returns the error for an auth server that does not respond, or not sensibly. */
export function authUnavailable(cause?: unknown): AppError {
  return upstreamUnavailable("auth", "The login service cannot be reached; retry in a moment", { cause });
}

/** Returns the error for a session of the password alone, whose user has a second factor. */
export function secondFactorRequired(cause?: unknown): AppError {
  return new AppError("second_factor_required", "Enter the code of your second factor first", { cause });
}
