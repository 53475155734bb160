/** The parts of an `OutboundError`. */
export interface OutboundErrorFields {
  status: number;
  code: string;
  message: string;
  details?: unknown;
  requestId?: string | undefined;
  retryAfterS?: number | undefined;
  cause?: unknown;
}

/** Codes of refusals whose bodies have none. */
const CODES: Record<number, string> = {
  400: "validation_failed",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  429: "rate_limit_exceeded",
  500: "internal_error",
};

/** Every failure of a request: a refusal of the service, or no response at all. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  /** The HTTP status; 0 where no response came. */
  readonly status: number;
  /**
   * The code of the service, as docs/errors.md lists them; or `connection_failed`, `timed_out`, `invalid_response`,
   * `wait_timed_out`, `invalid_signature` of the client itself.
   */
  readonly code: string;
  /** More about the cause, such as the field at fault. */
  readonly details: unknown;
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined;
  /** How long to wait before the next attempt, in seconds, where the service said so. */
  readonly retryAfterS: number | undefined;

  constructor({ status, code, message, details, requestId, retryAfterS, cause }: OutboundErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterS = retryAfterS;
  }
}

/**
 * Makes the error of a refused request.
 *
 * @param body the body as JSON, or as text where it is none
 */
export function errorOfResponse({ status, headers }: Response, body: unknown): OutboundError {
  const fields = typeof body === "object" && body !== null ? body as Record<string, unknown> : {};
  const { error, message, details, request_id, retry_after, success: _, ...others } = fields;
  return new OutboundError({
    status,
    code: typeof error === "string" ? error : CODES[status] ?? `http_${status}`,
    message: typeof message === "string" ? message : `The service responded with ${status}`,
    details: details ?? (Object.keys(others).length > 0 ? others : undefined),
    requestId: headers.get("X-Request-Id") ?? (typeof request_id === "string" ? request_id : undefined),
    retryAfterS: readRetryAfter(headers) ?? (typeof retry_after === "number" ? retry_after : undefined),
  });
}

/** The `Retry-After` of a response in seconds; it may be a number or a date. */
export function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get("Retry-After")?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}
