import { type AppError, upstreamUnavailable } from "../../errors.ts";

/** The 502 for a platform that cannot be reached, makes no sense or is busy; `details.service` is `whatsapp`. */
export function platformUnavailable(
  message: string,
  options: {
    details?: Record<string, unknown> | undefined;
    retryAfter?: number | undefined;
    recovery?: Date | undefined;
  } = {},
): AppError {
  return upstreamUnavailable("whatsapp", message, options);
}
