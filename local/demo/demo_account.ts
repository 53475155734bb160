import { demoTemplates } from "../sandbox/demo_templates.ts";
import type { SandboxAccount } from "../sandbox/options.ts";

/** The numbers of the demo company at the sandbox: its sender, and the customer of the examples. */
export const DEMO_SENDER = {
  number: "15550100100",
  providerId: "200000000000001",
  wabaId: "100000000000001",
};
export const DEMO_CUSTOMER = { number: "15550100199", name: "Asha" };

/** The business account the sandbox starts with. */
export function demoAccount(token: string): SandboxAccount {
  return {
    wabaId: DEMO_SENDER.wabaId,
    token,
    numbers: [{
      phoneNumberId: DEMO_SENDER.providerId,
      displayNumber: DEMO_SENDER.number,
      verifiedName: "Demo Traders",
    }],
    templates: demoTemplates,
  };
}
