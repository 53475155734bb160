/** A refusal, with the status, code and message of Supabase Auth. `weak_password` lists the rules a password broke. */
export class AuthError extends Error {
  override readonly name = "AuthError";
  readonly status: number;
  readonly code: string;
  readonly weakPassword: string[] | undefined;

  constructor(status: number, code: string, message: string, options: { weakPassword?: string[] } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.weakPassword = options.weakPassword;
  }
}

/** One message for an unknown user and a wrong password, so that it does not reveal who has an account. */
export function invalidCredentials(): AuthError {
  return new AuthError(400, "invalid_credentials", "Invalid login credentials");
}

/** An invalid body or parameter. */
export function validationFailed(message: string): AuthError {
  return new AuthError(400, "validation_failed", message);
}

/** The first API version with the newer form. */
const NEW_SHAPE = "2024-01-01";

/**
 * Turns any thrown value into the response of Supabase Auth. Requests for API version 2024-01-01 or later, such as
 * those of supabase-js, get `{code, message}`; all others get `{code: <status>, error_code, msg}`.
 */
export function errorResponse(error: unknown, apiVersion: string | undefined): Response {
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
