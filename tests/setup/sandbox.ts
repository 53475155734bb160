import assert from "node:assert/strict";
import { startSandbox } from "../../local/sandbox/start.ts";
import type { JsonObject } from "./http.ts";
import type { SenderFixture } from "./fixtures.ts";

/** A simulated messaging platform for one test, and its controls. */
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
  /** How often each thing happened, as `GET /sandbox/stats` tells it. */
  stats(): Promise<JsonObject>;
  /** What the platform accepted, oldest first. */
  messages(query?: Record<string, string>): Promise<JsonObject[]>;
}

/** Statuses follow at once, so that no test waits for a simulated phone. */
const IMMEDIATELY = { sent_ms: 0, delivered_ms: 0, read_ms: 0 };

/**
 * Calls `fn` with a sandbox on a free port that keeps nothing.
 *
 * @param appSecret signs its webhooks; they go nowhere until `configure({ webhook_url })`
 */
export async function withSandbox(
  appSecret: string,
  fn: (sandbox: TestSandbox) => Promise<void>,
): Promise<void> {
  const { url, close } = await startSandbox({ port: 0, webhookUrl: null, appSecret, accounts: [] });
  try {
    const sandbox = sandboxControls(url);
    await sandbox.configure(IMMEDIATELY);
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
        numbers: [{ phoneNumberId: sender.provider_id, displayNumber: sender.number, verifiedName: "Test" }],
        templates,
      });
    },
    addFault: async (rule) => void await call("POST", "faults", rule),
    configure: async (settings) => void await call("PUT", "settings", settings),
    templates: async () => (await call("GET", "templates")).data as JsonObject[],
    setTemplate: async (id, status, reason) => void await call("PUT", `templates/${id}`, { status, reason }),
    stats: async () => await call("GET", "stats"),
    messages: async (query = {}) => {
      const answer = await call("GET", `messages?${new URLSearchParams(query)}`);
      return answer.data as JsonObject[];
    },
  };
}
