import { ERROR_STATUS } from "../generated/routes.gen.ts";
import type { ErrorCode } from "../generated/types.gen.ts";
import { OutboundError, type OutboundErrorFields } from "../outbound_error.ts";

/** A code of the service, or one of the client itself where no response comes. */
export type RefusalCode = ErrorCode | "connection_failed" | "timed_out";

/** The other parts of the error. */
export type RefusalFields = Partial<Pick<OutboundErrorFields, "message" | "details" | "retryAfterS">>;

/** Makes the error that the client throws for a code. */
export function refusalOf(code: RefusalCode, fields: RefusalFields = {}): OutboundError {
  if (code === "connection_failed" || code === "timed_out") {
    return new OutboundError({ status: 0, code, message: `The fake service: ${code}`, ...fields });
  }
  const status = ERROR_STATUS[code];
  const message = `The fake service refuses with ${code}`;
  return new OutboundError({ status, code, message, requestId: "req_fake", ...fields });
}

/** Makes the error for a route to which the test gives no response. */
export function notScripted(route: string): OutboundError {
  const message = `The fake service has no response to ${route}: give it one with on()`;
  return new OutboundError({ status: 501, code: "not_scripted", message });
}
