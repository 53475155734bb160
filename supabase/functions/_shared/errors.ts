/** Every error code that a full error body may carry. */
export const ERROR_CODES = [
  "validation_failed",
  "unauthorized",
  "forbidden",
  "second_factor_required",
  "not_found",
  "template_not_found",
  "agent_not_found",
  "method_not_allowed",
  "request_timeout",
  "conversation_closed",
  "room_full",
  "resend_in_progress",
  "last_owner",
  "contact_exists",
  "webhook_off",
  "idempotency_key_in_use",
  "campaign_mismatch",
  "campaign_cancelled",
  "campaign_not_scheduled",
  "campaign_archived",
  "upload_differs",
  "upload_in_progress",
  "upload_expired",
  "precondition_failed",
  "precondition_required",
  "payload_too_large",
  "template_not_approved",
  "variable_mismatch",
  "sender_locked",
  "recipient_opted_out",
  "consent_missing",
  "user_id_not_supported",
  "window_closed",
  "suppression_kept",
  "message_on_its_way",
  "idempotency_key_reused",
  "rate_limit_exceeded",
  "quota_exceeded",
  "internal_error",
  "service_unavailable",
] as const;

export type ErrorCode = typeof ERROR_CODES[number];

/** Refusals that the contract responds to in its short form, which shows no code. */
export type ShortCode = "api_access_off" | "permission_missing" | "sender_forbidden" | "campaign_not_found";

export type RefusalCode = ErrorCode | ShortCode;

/** Why a request is not carried out. Only `http/app/respond_error.ts` knows its status and its body. */
export interface Refusal {
  code: RefusalCode;
  message: string;
  /** Facts a program can use: which field, what was expected. Never a secret, never SQL. */
  details?: Record<string, unknown> | undefined;
  /** Seconds to wait before a retry. */
  retryAfterS?: number | undefined;
}

/** A service that this one depends on is the cause. */
export interface Outage {
  service: string;
  /** When this service will use it again, where that is known; null when it does not recover by itself. */
  recovery?: Date | null | undefined;
}

export interface AppErrorOptions extends Pick<Refusal, "details" | "retryAfterS"> {
  outage?: Outage | undefined;
  cause?: unknown;
}

/** A refusal that is thrown. Any other error that reaches the client becomes `internal_error`. */
export class AppError extends Error implements Refusal {
  override readonly name = "AppError";
  readonly code: RefusalCode;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterS: number | undefined;
  readonly outage: Outage | undefined;

  constructor(code: RefusalCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfterS = options.retryAfterS;
    this.outage = options.outage;
  }

  /** Returns the error to throw for a refusal. */
  static from(refusal: Refusal): AppError {
    return refusal instanceof AppError ? refusal : new AppError(refusal.code, refusal.message, refusal);
  }
}

export type Result<Value> = { ok: true; value: Value } | { ok: false; error: unknown };

/** Returns what `work` resolves with, or whatever it throws. */
export async function resultOf<Value>(work: Promise<Value>): Promise<Result<Value>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    return { ok: false, error };
  }
}

/** Returns a caught refusal as a value. Throws any other error again. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof AppError) return error;
  throw error;
}

/** Whether this service or one that it depends on is the cause, rather than the request. */
export function isServerFault({ code }: Refusal): boolean {
  return code === "internal_error" || code === "service_unavailable";
}

/** The refusal of a missing field, with `details: {field, reason}`. */
export function missingField(field: string): AppError {
  return new AppError("validation_failed", `Missing required field: '${field}'`, {
    details: { field, reason: "required" },
  });
}

/** The refusal of a field of the wrong form, with `details: {field, provided, expected_format}`. */
export function badFormat(field: string, provided: unknown, expectedFormat: string): AppError {
  return new AppError("validation_failed", `Invalid value for '${field}': expected ${expectedFormat}`, {
    details: { field, provided: shortened(provided), expected_format: expectedFormat },
  });
}

/**
 * Returns the error for a service that this one depends on: it cannot be reached, is busy, or its response makes no
 * sense.
 *
 * @param options `retryAfterS`: as the service itself said; `recovery`: when this service will use it again anyway
 */
export function upstreamUnavailable(
  service: string,
  message: string,
  { details, retryAfterS, recovery, cause }: {
    details?: Record<string, unknown> | undefined;
    retryAfterS?: number | undefined;
    recovery?: Date | undefined;
    cause?: unknown;
  } = {},
): AppError {
  return new AppError("service_unavailable", message, {
    details: { service, estimated_recovery: null, ...details },
    outage: { service, recovery },
    retryAfterS,
    cause,
  });
}

/** Returns the error for a part that is not set up on this server, or set up wrongly: it does not recover by itself. */
export function notSetUp(service: string, message: string, cause?: unknown): AppError {
  return new AppError("service_unavailable", message, {
    details: { service, estimated_recovery: null },
    outage: { service, recovery: null },
    cause,
  });
}

/** A limit that was exceeded, and when it ends. */
export interface ReachedLimit {
  limit: number;
  windowS: number;
  waitS: number;
  now: Date;
}

/** The refusal of one request too many: `message` says what there were too many of. */
export function rateLimitExceeded(message: string, { limit, windowS, waitS, now }: ReachedLimit): Refusal {
  return {
    code: "rate_limit_exceeded",
    message: `${message}; wait ${waitS} s`,
    retryAfterS: waitS,
    details: {
      limit,
      window: `${windowS}s`,
      reset_time: new Date(now.getTime() + waitS * 1000).toISOString(),
    },
  };
}

/**
 * The refusal of what a daily quota leaves no room for, until the next midnight in UTC.
 *
 * @param usage goes to `details`, before `reset_time`
 */
export function quotaExceeded(
  message: string,
  usage: { cap?: string; quota: number; used: number },
  now: Date,
): Refusal {
  const reset = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return {
    code: "quota_exceeded",
    message,
    retryAfterS: Math.ceil((reset - now.getTime()) / 1000),
    details: { ...usage, reset_time: new Date(reset).toISOString() },
  };
}

/** The refusal of an Idempotency-Key that came with another request before. */
export function keyReused(): Refusal {
  return {
    code: "idempotency_key_reused",
    message: "This Idempotency-Key was used for another request in the last 24 hours",
  };
}

const MAX_ECHO_LENGTH = 100;

function shortened(value: unknown): unknown {
  if (typeof value === "string") {
    return value.length > MAX_ECHO_LENGTH ? `${value.slice(0, MAX_ECHO_LENGTH)}…` : value;
  }
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  return Array.isArray(value) ? "array" : typeof value;
}
