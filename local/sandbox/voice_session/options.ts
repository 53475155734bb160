/** An agent visitors can talk to in a browser. */
export interface SessionAgent {
  agentId: string;
  name: string;
  /** What it says first, unless the session overrides it. */
  firstMessage: string;
}

/** A workspace of the voice platform, as far as browser sessions need it. */
export interface SessionAccount {
  /** What `xi-api-key` must hold. */
  apiKey: string;
  agents: SessionAgent[];
}

/** The browser-session side of the voice platform, and the key of the real-time platform it hands tokens out for. */
export interface SessionOptions {
  accounts: SessionAccount[];
  livekit?: { apiKey: string; apiSecret: string };
}
