import { startSandbox } from "../../../local/sandbox/start.ts";
import type { SandboxAccount } from "../../../local/sandbox/options.ts";
import { closeServer } from "../../setup/http/close_server.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { TEST_TEMPLATES } from "./test_templates.ts";

export const APP_SECRET = "test-app-secret";
export const WABA_ID = "1000";
export const NUMBER_ID = "2000";
export const OTHER_NUMBER_ID = "2001";
export const TOKEN = "token-a";
export const OTHER_TOKEN = "token-b";

const ACCOUNTS: SandboxAccount[] = [
  {
    wabaId: WABA_ID,
    token: TOKEN,
    numbers: [{
      phoneNumberId: NUMBER_ID,
      displayNumber: "15550001111",
      verifiedName: "Example Traders",
      ratePerSecond: 0,
    }],
    templates: TEST_TEMPLATES,
  },
  {
    wabaId: "1001",
    token: OTHER_TOKEN,
    numbers: [{
      phoneNumberId: OTHER_NUMBER_ID,
      displayNumber: "15550002222",
      verifiedName: "Other Traders",
    }],
    templates: [TEST_TEMPLATES[0]!],
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
  signature: string | null;
  body: JsonObject;
}

/** Where the webhooks of a test go: keeps every one and responds with `status`. */
export interface HookReceiver {
  url: string;
  received: Hook[];
  status: number;
  /** All reported statuses, in the order they came. */
  statuses(): JsonObject[];
}

export interface CallOptions {
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestPlatform {
  url: string;
  hooks: HookReceiver;
  /** Calls the platform with the first account's token. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Calls `/sandbox/…`. */
  control(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Sends `two_values`, with parts of the body replaced. */
  send(changes?: JsonObject, options?: CallOptions): Promise<Answer>;
}

/** Statuses follow at once and are reported at once. */
const IMMEDIATELY = { sent_ms: 0, delivered_ms: 0, read_ms: 0, webhook_retry_ms: 10 };

/** Calls `fn` with a sandbox of two accounts that sends its webhooks to `hooks`. */
export async function withPlatform(
  fn: (platform: TestPlatform) => Promise<void>,
  options: { directory?: string; hooks?: HookReceiver; settings?: JsonObject; seed?: number } = {},
): Promise<void> {
  const { hooks: given, settings, ...rest } = options;
  await (given === undefined ? withHooks(run) : run(given));

  async function run(hooks: HookReceiver): Promise<void> {
    const sandbox = await startSandbox({
      port: 0,
      webhookUrl: hooks.url,
      appSecret: APP_SECRET,
      accounts: structuredClone(ACCOUNTS),
      ...rest,
    });
    try {
      const platform = { ...caller(sandbox.url), hooks };
      await platform.control("PUT", "settings", { ...IMMEDIATELY, ...settings });
      await fn(platform);
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
    const signature = request.headers.get("X-Hub-Signature-256");
    received.push({ bytes, signature, body: JSON.parse(new TextDecoder().decode(bytes)) });
    return new Response(null, { status: hooks.status });
  });
  const hooks: HookReceiver = {
    url: `http://127.0.0.1:${server.addr.port}/hooks`,
    received,
    status: 200,
    statuses: () => received.flatMap(({ body }) => statusesIn(body)),
  };
  try {
    await fn(hooks);
  } finally {
    await closeServer(server);
  }
}

/** The statuses in one webhook. */
export function statusesIn(body: JsonObject): JsonObject[] {
  // deno-lint-ignore no-explicit-any -- as above
  return body.entry.flatMap((entry: any) => entry.changes).flatMap((change: any) =>
    change.value.statuses ?? []
  );
}

/** A send body for `two_values`. */
export function sendBody(changes: JsonObject = {}): JsonObject {
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: "+573001112233",
    type: "template",
    template: useTemplate("two_values", [textBody("Asha", "A-1")]),
    ...changes,
  };
}

export function useTemplate(name: string, components: unknown[] = [], code = "en_US"): JsonObject {
  return { name, language: { code }, ...(components.length > 0 && { components }) };
}

export function textBody(...texts: string[]): JsonObject {
  return { type: "body", parameters: texts.map((text) => ({ type: "text", text })) };
}

export function button(sub_type: string, index: number | string, ...parameters: unknown[]): JsonObject {
  return { type: "button", sub_type, index, parameters };
}

/** Talks to a sandbox at `url`. */
export function caller(url: string): Omit<TestPlatform, "hooks"> {
  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { token = TOKEN, body, headers = {} } = options;
    const json = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      // A blob: Deno repeats a request with a text body by itself when the connection breaks.
      ...(json === undefined ? {} : { body: new Blob([json]) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parseOr(text) };
  }
  return {
    url,
    call,
    control: (method, path, body) => call(method, `/sandbox/${path}`, { token: null, body }),
    send: (changes, options = {}) =>
      call("POST", `/v25.0/${NUMBER_ID}/messages`, { body: sendBody(changes), ...options }),
  };
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
