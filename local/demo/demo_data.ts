import { demoTemplates } from "../sandbox/demo_templates.ts";
import type { SandboxAccount } from "../sandbox/options.ts";
import type { VoiceAccount } from "../sandbox/voice/voice_accounts.ts";

/** The numbers of the demo company at the sandbox: its sender, and the customer of the examples. */
export const DEMO_SENDER = {
  number: "15550100100",
  platformId: "200000000000001",
  wabaId: "100000000000001",
};
export const DEMO_CUSTOMER = { number: "15550100199", name: "Asha" };

/** The demo company calls from the number it writes from. */
export const DEMO_CALLER = { number: DEMO_SENDER.number, platformId: "phnum_demo_traders" };
export const DEMO_AGENT = { platformAgentId: "agent_demo_traders", name: "Order desk" };

/** The business account the sandbox starts with. */
export function demoAccount(token: string): SandboxAccount {
  return {
    wabaId: DEMO_SENDER.wabaId,
    token,
    numbers: [{
      phoneNumberId: DEMO_SENDER.platformId,
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
      agentId: DEMO_AGENT.platformAgentId,
      name: DEMO_AGENT.name,
      firstMessage: "Hello, this is Demo Traders, calling {{number}}. Your order is ready to be picked up.",
    }],
    phoneNumbers: [{
      phoneNumberId: DEMO_CALLER.platformId,
      phoneNumber: `+${DEMO_CALLER.number}`,
      provider: "twilio",
      label: "Demo Traders",
    }],
  };
}

/** The agent that visitors of the demo's voice widget talk to. */
export const DEMO_WIDGET_AGENT = { platformAgentId: "agent_demo", name: "Demo assistant" };

/** The same agent, as the sandbox knows it. */
export const DEMO_SESSION_AGENT = {
  agentId: DEMO_WIDGET_AGENT.platformAgentId,
  name: DEMO_WIDGET_AGENT.name,
  firstMessage: "Hello, this is Demo Traders. Ask me anything, or say: search for returns.",
};

/** The demo company's widgets, in two languages. */
export const DEMO_CHAT_CONFIG = {
  default_language: "en",
  texts: {
    en: { welcome: "Hi! This is Demo Traders. Ask us anything.", title: "Demo Traders" },
    es: { welcome: "¡Hola! Somos Demo Traders. Pregunte lo que quiera.", title: "Demo Traders" },
  },
};

export const DEMO_VOICE_CONFIG = {
  default_language: "en",
  agent_id: DEMO_WIDGET_AGENT.platformAgentId,
  position: { placement: "bottom-left" },
  texts: {
    en: { welcome: "Talk to Demo Traders", title: "Demo Traders" },
    es: { welcome: "Hable con Demo Traders", title: "Demo Traders" },
  },
};

/** The documents that the voice widget can look up. */
export const DEMO_DOCUMENTS = [
  {
    title: "Returns",
    url: null,
    language: "english",
    content:
      "You can return anything within 30 days. Write to us and we send you a label; the money is back " +
      "within a week after the parcel has reached us.",
  },
  {
    title: "Opening hours",
    url: null,
    language: "english",
    content: "The shop is open from Monday to Saturday, nine to six. We take phone calls on weekdays only.",
  },
];
