import assert from "node:assert/strict";
import { startSandbox } from "../../../local/sandbox/start.ts";
import type { VoiceAgent, VoicePhoneNumber } from "../../../local/sandbox/voice/voice_accounts.ts";
import type { JsonObject } from "../http/http.ts";
import type { SenderFixture } from "../fixtures/fixtures.ts";

/** Signs the webhooks of the simulated voice platform. */
export const VOICE_WEBHOOK_SECRET = "wsec_of-the-sandbox-in-tests";

/** A voice sender as the platform needs to know it: its digits, the id of its number and its API key. */
export type VoiceSender = Pick<SenderFixture, "id" | "number" | "platform_id" | "token">;

/** The settings of a voice account besides its sender; the sandbox has defaults for all. */
export interface VoiceAccountExtras {
  agents?: VoiceAgent[];
  provider?: VoicePhoneNumber["provider"];
  /** Calls at a time. */
  concurrency?: number;
}

/** A simulated messaging and voice platform for one test, and its controls. */
export interface TestSandbox {
  url: string;
  /** Makes the platform know a sender of ours: its account, number and token. */
  addAccount(sender: SenderFixture, templates?: JsonObject[]): Promise<void>;
  /** Sets faults, as `POST /sandbox/faults` takes them. */
  addFault(rule: JsonObject): Promise<void>;
  /** Changes settings, as `PUT /sandbox/settings` takes them. */
  configure(settings: JsonObject): Promise<void>;
  /** All templates, with their account's `waba_id`. */
  templates(): Promise<JsonObject[]>;
  /** Gives a template a status, as the platform's reviewers would. */
  setTemplate(id: string, status: string, reason?: string): Promise<void>;
  /** Reports a change of an account, as `POST /sandbox/accounts/{id}/events` takes it. */
  tellAccount(wabaId: string, event: JsonObject): Promise<void>;
  /** How often each thing happened, as `GET /sandbox/stats` reports it. */
  stats(): Promise<JsonObject>;
  /** The messages that the platform accepted, oldest first. */
  messages(query?: Record<string, string>): Promise<JsonObject[]>;
  /**
   * A person's phone, in digits, as `GET /sandbox/phones/{number}` shows it: `user_ids` by `waba_id`, `messages`,
   * `inbound`, what the person `stopped` and `blocked`.
   */
  phone(number: string): Promise<JsonObject>;
  /**
   * A person sends a message, as `POST /sandbox/phones/{number}/messages` takes it, such as
   * `{ type: "text", text: "STOP" }`; it goes to the number that wrote last unless it has a `phone_number_id`.
   */
  write(number: string, message: JsonObject): Promise<JsonObject>;
  /** A person does something else with the phone, and the phone after it is returned. */
  act(number: string, action: PhoneAction, body?: JsonObject): Promise<JsonObject>;
  /** Makes the voice platform know a sender of ours: its number, its key and its agents. */
  addVoiceAccount(sender: VoiceSender, extras?: VoiceAccountExtras): Promise<void>;
  /** Sets faults on calls, as `POST /sandbox/voice/faults` takes them. */
  addVoiceFault(rule: JsonObject): Promise<void>;
  /** Changes settings, as `PUT /sandbox/voice/settings` takes them. */
  configureVoice(settings: JsonObject): Promise<void>;
  /** Decides how calls to a number end, as `PUT /sandbox/voice/outcomes` takes it. */
  setOutcome(outcome: JsonObject): Promise<void>;
  /** The calls really made, oldest first; filters as `GET /sandbox/calls` takes them. */
  calls(query?: Record<string, string>): Promise<JsonObject[]>;
  /** `GET /sandbox/voice/stats`: `active`, `most_at_once`, `accepted`, `refused` and more. */
  voiceStats(): Promise<JsonObject>;
}

/** The actions of a person: `POST /sandbox/phones/{number}/{action}`. `rename` takes a `name`, `hide` a `username`, `move` a number `to`. */
export type PhoneAction =
  | "stop"
  | "resume"
  | "block"
  | "unblock"
  | "rename"
  | "hide"
  | "show"
  | "move"
  | "renew";

/** Statuses follow at once, so that no test waits for a simulated phone. */
const IMMEDIATELY = { sent_ms: 0, delivered_ms: 0, read_ms: 0 };
const CALLS_IMMEDIATELY = { ring_ms: 0, no_answer_ms: 0, talk_ms: 0, analysis_ms: 0 };

/**
 * Calls `fn` with a sandbox on a free port that keeps nothing.
 *
 * @param appSecret signs its webhooks; they go nowhere until `configure({ webhook_url })`, those of calls, signed
 *   with `VOICE_WEBHOOK_SECRET`, until `configureVoice({ webhook_url })`
 */
export async function withSandbox(
  appSecret: string,
  fn: (sandbox: TestSandbox) => Promise<void>,
): Promise<void> {
  const { url, close } = await startSandbox({
    port: 0,
    webhookUrl: null,
    appSecret,
    accounts: [],
    voice: { webhookUrl: null, webhookSecret: VOICE_WEBHOOK_SECRET, accounts: [] },
  });
  try {
    const sandbox = sandboxControls(url);
    await sandbox.configure(IMMEDIATELY);
    await sandbox.configureVoice(CALLS_IMMEDIATELY);
    await fn(sandbox);
  } finally {
    await close();
  }
}

/** The controls of a sandbox that runs at this address. */
export function sandboxControls(url: string): TestSandbox {
  async function call(method: string, path: string, body?: unknown): Promise<JsonObject> {
    const response = await fetch(`${url}/sandbox/${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const answer = await response.json() as JsonObject;
    assert.ok(response.ok, `sandbox: ${JSON.stringify(answer)}`);
    return answer;
  }
  return {
    url,
    addAccount: async (sender, templates = []) => {
      await call("POST", "accounts", {
        wabaId: sender.waba_id,
        token: sender.token,
        numbers: [{ phoneNumberId: sender.platform_id, displayNumber: sender.number, verifiedName: "Test" }],
        templates,
      });
    },
    addFault: async (rule) => void await call("POST", "faults", rule),
    configure: async (settings) => void await call("PUT", "settings", settings),
    templates: async () => (await call("GET", "templates")).data as JsonObject[],
    setTemplate: async (id, status, reason) => void await call("PUT", `templates/${id}`, { status, reason }),
    tellAccount: async (wabaId, event) => void await call("POST", `accounts/${wabaId}/events`, event),
    stats: async () => await call("GET", "stats"),
    messages: async (query = {}) => {
      const answer = await call("GET", `messages?${new URLSearchParams(query)}`);
      return answer.data as JsonObject[];
    },
    phone: (number) => call("GET", `phones/${number}`),
    write: (number, message) => call("POST", `phones/${number}/messages`, message),
    act: (number, action, body = {}) => call("POST", `phones/${number}/${action}`, body),
    addVoiceAccount: async ({ id, number, platform_id, token }, { provider = "twilio", ...extras } = {}) => {
      await call("POST", "voice/accounts", {
        id,
        apiKey: token,
        agents: [],
        phoneNumbers: [{ phoneNumberId: platform_id, phoneNumber: `+${number}`, provider }],
        ...extras,
      });
    },
    addVoiceFault: async (rule) => void await call("POST", "voice/faults", rule),
    configureVoice: async (settings) => void await call("PUT", "voice/settings", settings),
    setOutcome: async (outcome) => void await call("PUT", "voice/outcomes", outcome),
    calls: async (query = {}) => {
      const answer = await call("GET", `calls?${new URLSearchParams(query)}`);
      return answer.data as JsonObject[];
    },
    voiceStats: () => call("GET", "voice/stats"),
  };
}
