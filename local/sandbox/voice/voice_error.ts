/** One entry of the list a body that does not fit is answered with. */
export interface FieldIssue {
  type: string;
  loc: (string | number)[];
  msg: string;
  input: unknown;
}

/** Types and default messages of the error codes, as the platform's error page groups them. */
const TYPES: Readonly<Record<number, string>> = {
  400: "validation_error",
  401: "authentication_error",
  402: "payment_required",
  403: "authorization_error",
  404: "not_found",
  409: "conflict",
  429: "rate_limit_error",
  500: "internal_error",
  503: "service_unavailable",
};

/** A refusal of the voice platform. Its body always has `detail`, in one of the forms the platform uses. */
export class VoiceError extends Error {
  override readonly name = "VoiceError";

  private constructor(readonly status: number, readonly code: string, readonly detail: unknown) {
    super(code);
  }

  /** Today's form: type, code, message, request id, and `status` as a copy of the code for old clients. */
  static current(status: number, code: string, message: string, param: string | null = null): VoiceError {
    return new VoiceError(status, code, {
      type: TYPES[status] ?? (status < 500 ? "invalid_request" : "internal_error"),
      code,
      message,
      status: code,
      request_id: crypto.randomUUID().replaceAll("-", ""),
      param,
    });
  }

  /** The older form: only status and message. */
  static older(status: number, code: string, message: string): VoiceError {
    return new VoiceError(status, code, { status: code, message });
  }

  /** The list of what is wrong with a body or a query. */
  static list(issues: FieldIssue[], status = 422): VoiceError {
    return new VoiceError(status, "unprocessable", issues);
  }

  /** A plain sentence, as unknown paths are answered. */
  static text(status: number, message: string): VoiceError {
    return new VoiceError(status, message.toLowerCase().replaceAll(" ", "_"), message);
  }
}
