/** A turn of a scripted conversation. `{{name}}` is filled from the dynamic variables of the call. */
export interface ScriptLine {
  role: "agent" | "user";
  message: string;
}

/** A voice agent as the platform keeps it. */
export interface VoiceAgent {
  agentId: string;
  name: string;
  /** What it says first. A `{{name}}` the call brings no value for ends the call with an error. */
  firstMessage: string;
  /** What follows the first message. Default: the person thanks, the agent says goodbye. */
  script?: ScriptLine[];
  /** Variables in it are needed as much as those of the first message. */
  prompt?: string;
  /** Default "en". */
  language?: string;
}

/** A number calls are made from. */
export interface VoicePhoneNumber {
  phoneNumberId: string;
  /** With "+" and the country code. */
  phoneNumber: string;
  /** Decides which path takes its calls. */
  provider: "twilio" | "sip_trunk";
  /** Default: the number. */
  label?: string;
  /** Default true. */
  supportsOutbound?: boolean;
  /** The agent that answers its incoming calls; shown in lists, not needed to call out. */
  agentId?: string;
}

/** A simulated workspace of the voice platform. */
export interface VoiceAccount {
  /** Names the account in the controls; an account with a known id replaces that one. */
  id: string;
  /** What `xi-api-key` must hold. No two accounts share one. */
  apiKey: string;
  /** Calls at a time, from acceptance to end, before 429 `concurrent_limit_exceeded`. Default 20; 0 = no limit. */
  concurrency?: number;
  /** Calls taken a second before 429 `rate_limit_exceeded`. Default 0 = no limit. */
  callsPerSecond?: number;
  agents: VoiceAgent[];
  phoneNumbers: VoicePhoneNumber[];
}

/** The voice part of the sandbox. */
export interface VoiceOptions {
  /** Where its webhooks go. `null` = nowhere until `PUT /sandbox/voice/settings` names a place. */
  webhookUrl: string | null;
  /** Signs them. */
  webhookSecret: string;
  accounts: VoiceAccount[];
}
