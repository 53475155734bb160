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

/** The same words whether the user is unknown or the password wrong, so that nobody learns who has an account. */
export function invalidCredentials(): AuthError {
  return new AuthError(400, "invalid_credentials", "Invalid login credentials");
}

/** A body or parameter that cannot be used. */
export function validationFailed(message: string): AuthError {
  return new AuthError(400, "validation_failed", message);
}
