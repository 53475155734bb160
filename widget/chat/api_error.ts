/** The API answered, and refused. Everything else that is thrown means that it could not be reached. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** The code of the error, such as `conversation_closed`. */
  readonly code: string;
  /** Seconds to wait, when it said so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, code: string, retryAfter?: number) {
    super(`${status} ${code}`);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }

  /** The server is in trouble or busy: the same again will do, later. */
  get isPassing(): boolean {
    return this.status >= 500 || this.status === 429 || this.status === 408;
  }

  /** The limit that was reached, if it was one. */
  get limit(): "too_many" | "limit_reached" | undefined {
    if (this.status !== 429) return undefined;
    return this.code === "quota_exceeded" ? "limit_reached" : "too_many";
  }

  /** Whoever asked may not: the token or the key counts no more. */
  get isRefusal(): boolean {
    return this.status === 401 || this.status === 403 || this.status === 404;
  }
}
