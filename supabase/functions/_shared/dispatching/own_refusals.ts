import type { SendOutcome } from "../gateways/send_outcome.ts";

/** A refusal of our own, as if the platform had made it: stops the sender until an operator has given it a token. */
export const NO_ACCESS_TOKEN: SendOutcome = {
  kind: "refused",
  action: "stop_sender",
  code: null,
  httpStatus: 0,
  reason: "The sender has no access token",
};
