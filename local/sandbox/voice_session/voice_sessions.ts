import type { SessionFault, SessionSettings } from "./session_fault.ts";
import type { SessionRecord } from "./session_record.ts";

/** The lifetime of a signed URL. */
const SIGNATURE_MS = 15 * 60_000;
/** Sessions kept; older ones are dropped. */
const MAX_RECORDS = 1000;

interface Signature {
  account: SessionAccount;
  agent: SessionAgent;
  expiresAt: number;
  /** Of a signature that opens one conversation only; null for one that opens any number. */
  conversationId: string | null;
}

/** Makes an id in the platform's form. */
export function newConversationId(): string {
  return `conv_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** The key of `livekit-server --dev`. */
const DEV_KEY = { apiKey: "devkey", apiSecret: "secret" };

/** The state of all browser sessions. Nothing of it outlives the process. */
export class VoiceSessions {
  readonly livekit: { apiKey: string; apiSecret: string };
  readonly records = new Map<string, SessionRecord>();
  settings: SessionSettings = { hear_after_ms: 4000, ping_ms: 2000 };
  faults: SessionFault[] = [];
  readonly #accounts: SessionAccount[];
  readonly #signatures = new Map<string, Signature>();
  readonly #open = new Set<() => void>();

  /**
   * @param now unix milliseconds; tests pass their own clock
   * @param workspaces those of the telephone side: their agents can be talked to in a browser as well
   */
  constructor(
    options: SessionOptions | undefined,
    readonly now: () => number = Date.now,
    private readonly workspaces: () => SessionAccount[] = () => [],
  ) {
    this.#accounts = options?.accounts ?? [];
    this.livekit = options?.livekit ?? DEV_KEY;
  }

  /** The account of an API key, with every agent that the key may use. */
  account(apiKey: string | undefined): SessionAccount | undefined {
    const found = [...this.#accounts, ...this.workspaces()].filter((account) => account.apiKey === apiKey);
    return found[0] && { apiKey: found[0].apiKey, agents: found.flatMap(({ agents }) => agents) };
  }

  /** Makes the signature that opens an agent for 15 minutes: once, when it is for one conversation. */
  sign(account: SessionAccount, agent: SessionAgent, conversationId: string | null = null): string {
    for (const [signature, { expiresAt }] of this.#signatures) {
      if (expiresAt <= this.now()) this.#signatures.delete(signature);
    }
    const signature = `cvtkn_${crypto.randomUUID().replaceAll("-", "")}`;
    const expiresAt = this.now() + SIGNATURE_MS;
    this.#signatures.set(signature, { account, agent, expiresAt, conversationId });
    return signature;
  }

  /** The session that a signature opens; undefined when it is unknown, expired, used up or another agent's. */
  verify(signature: string | null, agentId: string | null): Signature | undefined {
    const found = this.#signatures.get(signature ?? "");
    if (found === undefined || found.expiresAt <= this.now()) return undefined;
    if (found.agent.agentId !== agentId) return undefined;
    if (found.conversationId !== null) this.#signatures.delete(signature!);
    return found;
  }

  remember(record: SessionRecord): void {
    this.records.set(record.id, record);
    const oldest = this.records.keys().next().value;
    if (this.records.size > MAX_RECORDS && oldest !== undefined) this.records.delete(oldest);
  }

  /** Draws the next fault of an agent and counts it down. `kind` separates faults of the request from those of the socket. */
  drawFault(kind: "request" | "socket", agentId?: string): SessionFault | undefined {
    const index = this.faults.findIndex(({ http, agent_id }) =>
      (http !== undefined) === (kind === "request") && (agent_id ?? agentId) === agentId
    );
    const fault = this.faults[index];
    if (fault === undefined) return undefined;
    fault.times -= 1;
    if (fault.times <= 0) this.faults.splice(index, 1);
    return fault;
  }

  /** Registers the function that ends an open socket; returns the function that removes it again. */
  track(end: () => void): () => void {
    this.#open.add(end);
    return () => this.#open.delete(end);
  }

  close(): void {
    for (const end of this.#open) end();
    this.#open.clear();
  }
}

/** An agent that visitors can talk to in a browser. */
export interface SessionAgent {
  agentId: string;
  name: string;
  /** The first message, unless the session overrides it. */
  firstMessage: string;
}

/** A workspace of the voice platform, as far as browser sessions need it. */
export interface SessionAccount {
  /** The value of `xi-api-key`. */
  apiKey: string;
  agents: SessionAgent[];
}

/** The browser-session side of the voice platform, and the key of the real-time platform it hands tokens out for. */
export interface SessionOptions {
  accounts: SessionAccount[];
  /** Default: that of `livekit-server --dev`. */
  livekit?: { apiKey: string; apiSecret: string };
}
