/** One entry of the list in a 422 response. */
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

/** A refusal of the voice platform. Its body always has `detail`, in one of the platform's forms. */
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

  /** The list of faults in a body or a query. */
  static list(issues: FieldIssue[], status = 422): VoiceError {
    return new VoiceError(status, "unprocessable", issues);
  }

  /** A plain sentence, as for unknown paths. */
  static text(status: number, message: string): VoiceError {
    return new VoiceError(status, message.toLowerCase().replaceAll(" ", "_"), message);
  }
}

const DEFAULT_SIZE = 30;
const MAX_SIZE = 100;

/** Cuts the page that `page_size` and `cursor` name; the cursor names the last item of the page before. */
export function pageOfItems<T>(
  items: T[],
  idOf: (item: T) => string,
  query: Record<string, string>,
): { items: T[]; next_cursor: string | null; has_more: boolean } {
  const size = Number(query.page_size ?? DEFAULT_SIZE);
  if (!Number.isInteger(size) || size < 1 || size > MAX_SIZE) {
    throw VoiceError.list([{
      type: "int_parsing",
      loc: ["query", "page_size"],
      msg: `Input should be a valid integer from 1 to ${MAX_SIZE}`,
      input: query.page_size,
    }]);
  }
  const start = query.cursor === undefined
    ? 0
    : items.findIndex((item) => cursorOf(idOf(item)) === query.cursor) + 1;
  if (query.cursor !== undefined && start === 0) {
    throw VoiceError.current(400, "invalid_parameters", "The cursor is not one of this list", "cursor");
  }
  const page = items.slice(start, start + size);
  const has_more = start + page.length < items.length;
  return { items: page, next_cursor: has_more ? cursorOf(idOf(page.at(-1)!)) : null, has_more };
}

function cursorOf(id: string): string {
  return btoa(`after:${id}`).replaceAll("=", "");
}
