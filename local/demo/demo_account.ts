import { demoTemplates } from "../sandbox/demo_templates.ts";
import type { SandboxAccount } from "../sandbox/options.ts";
import type { VoiceAccount } from "../sandbox/voice/options.ts";

/** The numbers of the demo company at the sandbox: its sender, and the customer of the examples. */
export const DEMO_SENDER = {
  number: "15550100100",
  providerId: "200000000000001",
  wabaId: "100000000000001",
};
export const DEMO_CUSTOMER = { number: "15550100199", name: "Asha" };

/** The demo company calls from the number it writes from. */
export const DEMO_CALLER = { number: DEMO_SENDER.number, providerId: "phnum_demo_traders" };
export const DEMO_AGENT = { providerAgentId: "agent_demo_traders", name: "Order desk" };

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

/** The voice account the sandbox starts with. Its agent says nothing that a call to a bare number could not fill in. */
export function demoVoiceAccount(apiKey: string): VoiceAccount {
  return {
    id: "demo",
    apiKey,
    agents: [{
      agentId: DEMO_AGENT.providerAgentId,
      name: DEMO_AGENT.name,
      firstMessage: "Hello, this is Demo Traders, calling {{number}}. Your order is ready to be picked up.",
    }],
    phoneNumbers: [{
      phoneNumberId: DEMO_CALLER.providerId,
      phoneNumber: `+${DEMO_CALLER.number}`,
      provider: "twilio",
      label: "Demo Traders",
    }],
  };
}
