import { AuthError } from "./auth_error.ts";

/** The version of the API that brought the second of the two shapes. */
const NEW_SHAPE = "2024-01-01";

/**
 * Turns anything thrown into the answer Supabase Auth would give.
 *
 * Callers that ask for API version 2024-01-01 or later, as supabase-js does, get `{code, message}`; all others get
 * `{code: <status>, error_code, msg}`.
 */
export function errorAnswer(error: unknown, apiVersion: string | undefined): Response {
  const refusal = error instanceof AuthError
    ? error
    : new AuthError(500, "unexpected_failure", "Database error querying schema");
  const headers = { "x-sb-error-code": refusal.code };
  const weak = refusal.weakPassword ? { weak_password: { reasons: refusal.weakPassword } } : {};
  if (wantsNewShape(apiVersion)) {
    const body = { code: refusal.code, message: refusal.message, ...weak };
    return Response.json(body, {
      status: refusal.status,
      headers: { ...headers, "X-Supabase-Api-Version": NEW_SHAPE },
    });
  }
  const body = { code: refusal.status, error_code: refusal.code, msg: refusal.message, ...weak };
  const id = refusal.status >= 500 ? { error_id: crypto.randomUUID() } : {};
  return Response.json({ ...body, ...id }, { status: refusal.status, headers });
}

function wantsNewShape(version: string | undefined): boolean {
  return version !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= NEW_SHAPE;
}
