import type { SendOutcome } from "../gateways/send_outcome.ts";

// Refusals of our own, as if the platform had made them.

/** Stops the sender until an operator has given it a token. */
export const NO_ACCESS_TOKEN: SendOutcome = {
  kind: "refused",
  action: "stop_sender",
  code: null,
  httpStatus: 0,
  reason: "The sender has no access token",
};

/** Stops the sender until an operator has given it a key. */
export const NO_API_KEY: SendOutcome = {
  kind: "refused",
  action: "stop_sender",
  code: null,
  httpStatus: 0,
  reason: "The sender has no API key, and ELEVENLABS_API_KEY is not set",
};

/** Fails the call for good: enabling the agent again does not bring its old campaign back. */
export const AGENT_DISABLED: SendOutcome = {
  kind: "refused",
  action: "fail",
  code: "agent_disabled",
  httpStatus: 0,
  reason: "The voice agent was disabled before the call was made",
};

/** Fails a reply that holds nothing to send. */
export const NOT_SENDABLE: SendOutcome = {
  kind: "refused",
  action: "fail",
  code: "not_sendable",
  httpStatus: 0,
  reason: "The message has no content",
};
