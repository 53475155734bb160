/** The agent that the sandbox's voice sessions are with. */
export const DEMO_AGENT = "agent_demo";

/** The same agent, as the sandbox knows it. */
export const DEMO_SESSION_AGENT = {
  agentId: DEMO_AGENT,
  name: "Demo assistant",
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
  agent_id: DEMO_AGENT,
  position: { placement: "bottom-left" },
  texts: {
    en: { welcome: "Talk to Demo Traders", title: "Demo Traders" },
    es: { welcome: "Hable con Demo Traders", title: "Demo Traders" },
  },
};

/** What the voice widget can look up. */
export const DEMO_DOCUMENTS = [
  {
    title: "Returns",
    language: "en",
    content:
      "You can return anything within 30 days. Write to us and we send you a label; the money is back " +
      "within a week after the parcel has reached us.",
  },
  {
    title: "Opening hours",
    language: "en",
    content:
      "The shop is open from Monday to Saturday, nine to six. The telephone is answered on weekdays only.",
  },
];
