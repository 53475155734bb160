/** The real-time platform on which a visitor and a person talk: a LiveKit server, hosted or one's own. */
export interface RealtimeConfig {
  /** `wss://…` or `https://…`. */
  url: string;
  apiKey: string;
  apiSecret: string;
}

/** Loaded when it is first needed: it is large, and most processes never hand anybody over. */
export function loadSdk() {
  return import("livekit-server-sdk");
}
