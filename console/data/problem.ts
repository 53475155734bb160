/** A refusal of the API, or a connection that failed. */
export class Problem extends Error {
  override readonly name = "Problem";
  /** The API's code; `unreachable` where no response came. */
  readonly code: string;
  /** 0 where no response came. */
  readonly status: number;
  readonly requestId: string | undefined;
  readonly details: unknown;
  readonly retryAfterS: number | undefined;

  constructor(code: string, message: string, facts: Partial<Problem> = {}) {
    super(message);
    this.code = code;
    this.status = facts.status ?? 0;
    this.requestId = facts.requestId;
    this.details = facts.details;
    this.retryAfterS = facts.retryAfterS;
  }
}

/** Whether another member changed the settings since they were read. */
export function isChangedMeanwhile({ code }: Problem): boolean {
  return code === "precondition_failed";
}
