import type { SandboxAccount, SandboxNumber } from "../options.ts";
import type { SendBody } from "./send_body.ts";

/** A send that passed every check. */
export interface Send {
  account: SandboxAccount;
  number: SandboxNumber;
  body: SendBody;
  /** Digits of the person's number. */
  to: string;
}
