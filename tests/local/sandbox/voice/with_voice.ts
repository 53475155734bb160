import { startSandbox } from "../../../../local/sandbox/start.ts";
import type { VoiceAccount } from "../../../../local/sandbox/voice/voice_accounts.ts";
import { closeServer } from "../../../setup/http/close_server.ts";
import type { JsonObject } from "../../../setup/http/http.ts";

export const SECRET = "wsec_test";
export const API_KEY = "key-a";
export const OTHER_API_KEY = "key-b";
export const AGENT_ID = "agent_reminder";
export const TWILIO_ID = "phnum_twilio";
export const SIP_ID = "phnum_sip";

const ACCOUNTS: VoiceAccount[] = [
  {
    id: "shop",
    apiKey: API_KEY,
    agents: [
      {
        agentId: AGENT_ID,
        name: "Reminder",
        firstMessage: "Hello {{customer_name}}, your order {{ order }} is ready.",
        script: [{ role: "user", message: "I will come today." }, {
          role: "agent",
          message: "See you, {{customer_name}}.",
        }],
      },
      { agentId: "agent_plain", name: "Plain", firstMessage: "Good morning." },
      { agentId: "agent_prompted", name: "Prompted", firstMessage: "Hi.", prompt: "Sell {{product}}." },
    ],
    phoneNumbers: [
      { phoneNumberId: TWILIO_ID, phoneNumber: "+15550001111", provider: "twilio", agentId: AGENT_ID },
      { phoneNumberId: SIP_ID, phoneNumber: "+15550002222", provider: "sip_trunk", label: "Desk" },
      {
        phoneNumberId: "phnum_in",
        phoneNumber: "+15550003333",
        provider: "twilio",
        supportsOutbound: false,
      },
    ],
  },
  {
    id: "other",
    apiKey: OTHER_API_KEY,
    concurrency: 2,
    agents: [{ agentId: "agent_other", name: "Other", firstMessage: "Hi." }],
    phoneNumbers: [{ phoneNumberId: "phnum_other", phoneNumber: "+15550004444", provider: "twilio" }],
  },
];

export interface Answer {
  status: number;
  headers: Headers;
  // deno-lint-ignore no-explicit-any -- an assertion compares what is really there
  body: any;
}

export interface Hook {
  bytes: Uint8Array;
  signature: string;
  headers: Headers;
  // deno-lint-ignore no-explicit-any -- as above
  body: any;
}

/** Where the webhooks of a test go: keeps every one and responds with `status`. */
export interface HookReceiver {
  url: string;
  received: Hook[];
  status: number;
}

export interface CallOptions {
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestVoice {
  url: string;
  hooks: HookReceiver;
  /** Calls the platform, with the first account's key. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Calls `/sandbox/…`. */
  control(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Makes a call with the reminder agent over Twilio, with parts of the body replaced. */
  dial(changes?: JsonObject, options?: CallOptions): Promise<Answer>;
  /** The ledger, oldest first. */
  calls(query?: string): Promise<JsonObject[]>;
}

/** Phones are picked up at once and conversations take no time. */
const IMMEDIATELY = { ring_ms: 0, no_answer_ms: 0, talk_ms: 0, analysis_ms: 0 };

/** Calls `fn` with a sandbox whose voice platform has two accounts and sends its webhooks to `hooks`. */
export async function withVoice(
  fn: (voice: TestVoice) => Promise<void>,
  options: { directory?: string; hooks?: HookReceiver; settings?: JsonObject; seed?: number } = {},
): Promise<void> {
  const { hooks: given, settings, ...rest } = options;
  await (given === undefined ? withHooks(run) : run(given));

  async function run(hooks: HookReceiver): Promise<void> {
    const sandbox = await startSandbox({
      port: 0,
      webhookUrl: null,
      appSecret: "unused",
      accounts: [],
      voice: { webhookUrl: hooks.url, webhookSecret: SECRET, accounts: structuredClone(ACCOUNTS) },
      ...rest,
    });
    try {
      const voice = { ...voiceCaller(sandbox.url), hooks };
      await voice.control("PUT", "voice/settings", { ...IMMEDIATELY, ...settings });
      await fn(voice);
    } finally {
      await sandbox.close();
    }
  }
}

/** Calls `fn` with a receiver of webhooks. */
export async function withHooks(fn: (hooks: HookReceiver) => Promise<void>): Promise<void> {
  const received: Hook[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const bytes = await request.bytes().catch(() => null);
    // A sandbox that closes cuts off the webhook it is sending.
    if (bytes === null) return new Response(null, { status: 400 });
    const signature = request.headers.get("ElevenLabs-Signature") ?? "";
    const { headers } = request;
    received.push({ bytes, signature, headers, body: JSON.parse(new TextDecoder().decode(bytes)) });
    return new Response(null, { status: hooks.status });
  });
  const url = `http://127.0.0.1:${server.addr.port}/hooks`;
  const hooks: HookReceiver = { url, received, status: 200 };
  try {
    await fn(hooks);
  } finally {
    await closeServer(server);
  }
}

/** The body of an outbound call. */
export function callBody(changes: JsonObject = {}): JsonObject {
  return {
    agent_id: AGENT_ID,
    agent_phone_number_id: TWILIO_ID,
    to_number: "+573001112233",
    conversation_initiation_client_data: {
      user_id: "ref-1",
      dynamic_variables: { customer_name: "Asha", order: 17 },
    },
    ...changes,
  };
}

/** Client data with another reference. */
export function clientData(user_id: string): JsonObject {
  return {
    conversation_initiation_client_data: {
      user_id,
      dynamic_variables: { customer_name: "Asha", order: 17 },
    },
  };
}

/** Talks to a sandbox at `url`. */
export function voiceCaller(url: string): Omit<TestVoice, "hooks"> {
  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { key = API_KEY, body, headers = {} } = options;
    const json = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { "xi-api-key": key }),
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      // A stream: Deno repeats a request with a text body by itself when the connection breaks.
      ...(json === undefined ? {} : { body: new Blob([json]).stream() }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parseOr(text) };
  }
  return {
    url,
    call,
    control: (method, path, body) => call(method, `/sandbox/${path}`, { key: null, body }),
    dial: (changes, options = {}) =>
      call("POST", "/v1/convai/twilio/outbound-call", { body: callBody(changes), ...options }),
    calls: async (query = "") => (await call("GET", `/sandbox/calls?${query}`, { key: null })).body.data,
  };
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
