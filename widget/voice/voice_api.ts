import type * as z from "zod/mini";
import { VoiceProblem } from "./problem.ts";
import {
  type Entry,
  entrySchema,
  type Handoff,
  handoffSchema,
  type SearchResult,
  searchSchema,
  type VoiceWidget,
  voiceWidgetSchema,
} from "./schemas.ts";

/** The widget that this page shows, as named by the loader. */
export interface VoiceWidgetId {
  /** The API's base URL. */
  api: string;
  /** A publishable key, or the company's. */
  key: string;
  widget: string;
  /** Empty for the widget's own. */
  language: string;
}

/**
 * The API, as the voice interface uses it. Every request rejects when the server refuses it or is unavailable, with the
 * problem `limit_reached` when a daily cap is reached.
 */
export interface VoiceApi {
  widget(): Promise<VoiceWidget>;
  /** Starts a session and returns its credentials. Written sessions always use a WebSocket. */
  enter(options: { written: boolean }): Promise<Entry>;
  search(sessionToken: string, query: string): Promise<SearchResult[]>;
  sendFeedback(sessionToken: string, feedback: Feedback): Promise<void>;
  handOff(sessionToken: string, request: { conversationId: string; reason?: string }): Promise<Handoff>;
  /** Is sent even while the visitor leaves the page. */
  endHandoff(sessionToken: string, handoffId: string): Promise<void>;
}

export interface Feedback {
  conversationId: string;
  /** 1 to 5. */
  rating: number;
  comment: string;
}

const TIMEOUT_MS = 15_000;

/** Creates the client for one widget. */
export function createVoiceApi({ api, key, widget, language }: VoiceWidgetId): VoiceApi {
  const id_widget = widget;

  async function request(
    path: string,
    query: Record<string, string>,
    init: RequestInit = {},
  ): Promise<unknown> {
    const url = `${api}/voice-widget${path}?${new URLSearchParams(query)}`;
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), ...init });
    if (response.ok) return await response.json();
    const refusal = new Error(`${response.status} from /voice-widget${path}`);
    const body = await response.json().catch(() => undefined);
    throw body?.error === "quota_exceeded" ? new VoiceProblem("limit_reached", refusal) : refusal;
  }

  function get<Schema extends z.ZodMiniType>(path: string, extra: Record<string, string>, schema: Schema) {
    const query = { id_widget, access_key: key, ...pageOrigin(), ...(language && { language }), ...extra };
    return request(path, query).then((response): z.infer<Schema> => schema.parse(response));
  }

  function post(path: string, token: string, body: unknown, keepalive = false): Promise<unknown> {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    return request(path, { id_widget }, { method: "POST", headers, body: JSON.stringify(body), keepalive });
  }

  return {
    widget: () => get("", {}, voiceWidgetSchema),
    enter: ({ written }) => get("/signed-url", written ? { connection: "websocket" } : {}, entrySchema),
    async search(token, query) {
      const response = await post("/search", token, { query, ...(language && { language }) });
      return searchSchema.parse(response).results;
    },
    async sendFeedback(token, { conversationId: conversation_id, rating, comment }) {
      await post("/feedback", token, { conversation_id, rating, ...(comment && { comment }) });
    },
    async handOff(token, { conversationId: conversation_id, reason }) {
      const body = { conversation_id, ...(reason && { reason: reason.slice(0, 1000) }) };
      return handoffSchema.parse(await post("/handoff", token, body));
    },
    async endHandoff(token, handoff_id) {
      await post("/handoff/end", token, { handoff_id }, true);
    },
  };
}

/** Returns the embedding page, for the server's check of allowed origins. Firefox does not expose it. */
function pageOrigin(): { page_origin?: string } {
  const origin = globalThis.location?.ancestorOrigins?.[0];
  return origin === undefined ? {} : { page_origin: origin };
}

/** The API's limit. */
const MAX_QUERY_LENGTH = 500;

/** Makes the agent's `search` tool: it looks up `query` in the company's documents and returns the results as text. */
export function searchTool(api: Pick<VoiceApi, "search">, sessionToken: string) {
  return async ({ query }: Record<string, unknown>): Promise<string> => {
    const results = await api.search(sessionToken, String(query ?? "").slice(0, MAX_QUERY_LENGTH));
    if (results.length === 0) return "Nothing was found.";
    return results.map(({ title, text, url }) => [title, text, url].filter(Boolean).join("\n")).join("\n\n");
  };
}
