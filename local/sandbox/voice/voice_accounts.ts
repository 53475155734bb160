import type { VoiceAccount, VoiceAgent, VoicePhoneNumber } from "./options.ts";
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

  /** The account of a key. Fails with 401 without a key and with one nobody has. */
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
