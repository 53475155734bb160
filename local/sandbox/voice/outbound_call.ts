import type { SandboxCall } from "./call.ts";
import type { VoiceFault } from "./fault.ts";
import type { VoiceAccount, VoiceAgent, VoicePhoneNumber } from "./options.ts";
import type { OutboundBody } from "./outbound_body.ts";

/** An outbound call that passed every check. */
export interface OutboundCall {
  account: VoiceAccount;
  agent: VoiceAgent;
  number: VoicePhoneNumber;
  body: OutboundBody;
  /** Digits of the person's number. */
  to: string;
  fault: VoiceFault;
  batch?: SandboxCall["batch_call"];
}
