/** Every error code an answer may carry, with the HTTP status it usually goes out with. */
export const ERROR_STATUS = {
  validation_failed: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  template_not_found: 404,
  agent_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conversation_closed: 409,
  room_full: 409,
  idempotency_key_in_use: 409,
  payload_too_large: 413,
  template_not_approved: 422,
  variable_mismatch: 422,
  sender_locked: 422,
  idempotency_key_reused: 422,
  rate_limit_exceeded: 429,
  quota_exceeded: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export interface AppErrorOptions {
  /** Facts a program can use: which field, what was expected. Never a secret, never SQL. */
  details?: Record<string, unknown>;
  /** Overrides the code's usual status; `service_unavailable` is 502 when another service is down. */
  status?: number;
  /** `short` answers `{success: false, message}`, the form the contract fixes for some endpoints. */
  shape?: "full" | "short";
  /** Seconds to wait before the next try; becomes `retry_after` and the `Retry-After` header. */
  retryAfter?: number;
  headers?: Record<string, string>;
  /** The service whose outage this is. `answerError` adds to `details` when it probably works again. */
  outage?: Outage;
  cause?: unknown;
}

/** An outage of a service that this one depends on. */
export interface Outage {
  service: string;
  /** When it will be asked again anyway, where that is known. */
  recovery?: Date | undefined;
}

/** A refusal the client is told about, in the words given here. Anything else thrown becomes `internal_error`. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Record<string, unknown> | undefined;
  readonly shape: "full" | "short";
  readonly retryAfter: number | undefined;
  readonly headers: Record<string, string>;
  readonly outage: Outage | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = options.status ?? ERROR_STATUS[code];
    this.details = options.details;
    this.shape = options.shape ?? "full";
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
    this.outage = options.outage;
  }
}

/** A request field that is missing: 400 with `details: {field, reason}`. */
export function missingField(field: string): AppError {
  return new AppError("validation_failed", `Missing required field: '${field}'`, {
    details: { field, reason: "required" },
  });
}

/** A request field of the wrong form: 400 with `details: {field, provided, expected_format}`. */
export function badFormat(field: string, provided: unknown, expectedFormat: string): AppError {
  return new AppError("validation_failed", `Invalid value for '${field}': expected ${expectedFormat}`, {
    details: { field, provided: shortened(provided), expected_format: expectedFormat },
  });
}

/**
 * The 502 for a service that this one depends on: it cannot be reached, is busy, or its response makes no sense.
 *
 * @param options `retryAfter`: seconds, as the service itself said; `recovery`: when it will be asked again anyway
 */
export function upstreamUnavailable(
  service: string,
  message: string,
  { details, retryAfter, recovery, cause }: {
    details?: Record<string, unknown> | undefined;
    retryAfter?: number | undefined;
    recovery?: Date | undefined;
    cause?: unknown;
  } = {},
): AppError {
  return new AppError("service_unavailable", message, {
    status: 502,
    details: { service, estimated_recovery: null, ...details },
    outage: { service, recovery },
    ...(retryAfter !== undefined && { retryAfter }),
    cause,
  });
}

/** The 502 for a part that is not set up on this server, or not rightly: it does not recover by itself. */
export function notSetUp(service: string, message: string, cause?: unknown): AppError {
  return new AppError("service_unavailable", message, {
    status: 502,
    details: { service, estimated_recovery: null },
    cause,
  });
}

/** What was exceeded, and when it is over. */
export interface ReachedLimit {
  limit: number;
  windowS: number;
  waitS: number;
  now: Date;
}

/** The 429 for one request too many: `message` says what there were too many of. */
export function tooManyRequests(message: string, { limit, windowS, waitS, now }: ReachedLimit): AppError {
  return new AppError("rate_limit_exceeded", `${message}; wait ${waitS} s`, {
    retryAfter: waitS,
    details: {
      limit,
      window: `${windowS}s`,
      reset_time: new Date(now.getTime() + waitS * 1000).toISOString(),
    },
  });
}

/** The 422 for an Idempotency-Key that came with another request before. */
export function keyReused(): AppError {
  return new AppError(
    "idempotency_key_reused",
    "This Idempotency-Key was used for another request in the last 24 hours",
  );
}

const LONGEST_ECHO = 100;

function shortened(value: unknown): unknown {
  if (typeof value === "string") {
    return value.length > LONGEST_ECHO ? `${value.slice(0, LONGEST_ECHO)}…` : value;
  }
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  return Array.isArray(value) ? "array" : typeof value;
}
