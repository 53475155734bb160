/** A refused command, with a message for the person who ran it. Any other error is a fault. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  /** For programs: `not_found`, `already_exists`, `bad_value`, `not_configured`, … */
  readonly code: CommandErrorCode;

  constructor(code: CommandErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type CommandErrorCode =
  | "already_exists"
  | "ambiguous"
  | "bad_value"
  | "build_failed"
  | "database_error"
  | "not_configured"
  | "not_found"
  | "platform_error"
  | "refused"
  | "suppression_kept"
  | "too_heavy"
  | "usage";
