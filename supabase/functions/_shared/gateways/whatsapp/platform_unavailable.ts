import { AppError } from "../../errors.ts";

/** The 502 for a platform that cannot be reached, makes no sense or is busy; `details.service` is `whatsapp`. */
export function platformUnavailable(
  message: string,
  { details, retryAfter }: { details?: Record<string, unknown>; retryAfter?: number | undefined } = {},
): AppError {
  return new AppError("service_unavailable", message, {
    status: 502,
    details: { service: "whatsapp", ...details },
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
