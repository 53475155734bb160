import { describeError } from "./error_table.ts";

export interface PlatformErrorOptions {
  /** Overrides the HTTP status of the code. */
  status?: number;
  subcode?: number;
  /** Replaces "(#code) title". */
  message?: string;
  type?: string;
  /** For people; the platform sends it when it refuses a new template. */
  userTitle?: string;
}

/** A refusal in the platform's own form. Like the platform, it leaves `details` out of token errors. */
export class PlatformError extends Error {
  override readonly name = "PlatformError";
  readonly status: number;

  constructor(
    readonly code: number,
    readonly details: string | null,
    readonly options: PlatformErrorOptions = {},
  ) {
    super(options.message ?? `(#${code}) ${describeError(code).title}`);
    this.status = options.status ?? describeError(code).http;
  }

  /** The body of the response: `{error: {message, type, code, error_data, fbtrace_id}}`. */
  toBody(): { error: Record<string, unknown> } {
    const { subcode, type, userTitle } = this.options;
    return {
      error: {
        message: this.message,
        type: type ?? "OAuthException",
        code: this.code,
        ...(subcode === undefined ? {} : { error_subcode: subcode }),
        ...(this.details === null
          ? {}
          : { error_data: { messaging_product: "whatsapp", details: this.details } }),
        ...(userTitle === undefined ? {} : { error_user_title: userTitle, error_user_msg: this.details }),
        fbtrace_id: `A${crypto.randomUUID().replaceAll("-", "").slice(0, 22)}`,
      },
    };
  }
}
