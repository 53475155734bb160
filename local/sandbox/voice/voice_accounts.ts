import { VoiceError } from "./voice_error.ts";

/** The simulated workspaces, found by key and by id. */
export class VoiceAccounts {
  readonly #accounts = new Map<string, VoiceAccount>();

  /** Adds an account, or replaces the one with the same id. False when another one has its key. */
  put(account: VoiceAccount): boolean {
    const owner = this.list().find(({ apiKey }) => apiKey === account.apiKey);
    if (owner !== undefined && owner.id !== account.id) return false;
    this.#accounts.set(account.id, account);
    return true;
  }

  list(): VoiceAccount[] {
    return [...this.#accounts.values()];
  }

  get(id: string): VoiceAccount | undefined {
    return this.#accounts.get(id);
  }

  /** The account of a key. Throws 401 without a key or with an unknown one. */
  authorize(key: string | undefined): VoiceAccount {
    if (key === undefined || key === "") {
      throw VoiceError.current(401, "missing_api_key", "The xi-api-key header is missing");
    }
    const account = this.list().find(({ apiKey }) => apiKey === key);
    if (account === undefined) throw VoiceError.current(401, "invalid_api_key", "Invalid API key");
    return account;
  }
}

/** The agent of an account; 404 when it has none with this id. */
export function findAgent(account: VoiceAccount, id: string): VoiceAgent {
  const agent = account.agents.find(({ agentId }) => agentId === id);
  if (agent === undefined) {
    throw VoiceError.current(404, "agent_not_found", `Agent with ID ${id} was not found`, "agent_id");
  }
  return agent;
}

/** The number of an account; 404, in the older form, when it has none with this id. */
export function findPhoneNumber(account: VoiceAccount, id: string): VoicePhoneNumber {
  const number = account.phoneNumbers.find(({ phoneNumberId }) => phoneNumberId === id);
  if (number === undefined) {
    throw VoiceError.older(404, "phone_number_not_found", `Phone number with ID ${id} was not found`);
  }
  return number;
}

/** A turn of a scripted conversation. `{{name}}` is replaced with the call's dynamic variable. */
export interface ScriptTurn {
  role: "agent" | "user";
  message: string;
}

/** A voice agent as the platform keeps it. */
export interface VoiceAgent {
  agentId: string;
  name: string;
  /** The first message. A `{{name}}` without a value ends the call with an error. */
  firstMessage: string;
  /** The turns after the first message. Default: the person thanks, the agent says goodbye. */
  script?: ScriptTurn[];
  /** Variables in it are needed as much as those of the first message. */
  prompt?: string;
  /** Default "en". */
  language?: string;
}

/** A number that calls come from. */
export interface VoicePhoneNumber {
  phoneNumberId: string;
  /** With "+" and the country code. */
  phoneNumber: string;
  /** Decides which path accepts its calls. */
  provider: "twilio" | "sip_trunk";
  /** Default: the number. */
  label?: string;
  /** Default true. */
  supportsOutbound?: boolean;
  /** The agent of its incoming calls; shown in lists, not needed for outbound calls. */
  agentId?: string;
}

/** A simulated workspace of the voice platform. */
export interface VoiceAccount {
  /** Names the account in the controls; an account with a known id replaces that one. */
  id: string;
  /** The value of `xi-api-key`. No two accounts share one. */
  apiKey: string;
  /** Concurrent calls, from acceptance to end, before 429 `concurrent_limit_exceeded`. Default 20; 0 = no limit. */
  concurrency?: number;
  /** Calls per second before 429 `rate_limit_exceeded`. Default 0 = no limit. */
  callsPerSecond?: number;
  agents: VoiceAgent[];
  phoneNumbers: VoicePhoneNumber[];
}

/** The voice part of the sandbox. */
export interface VoiceOptions {
  /** The webhook address. `null` = none until `PUT /sandbox/voice/settings` names one. */
  webhookUrl: string | null;
  /** Signs them. */
  webhookSecret: string;
  accounts: VoiceAccount[];
}
