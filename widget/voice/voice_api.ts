import type * as z from "zod/mini";
import { VoiceProblem } from "./problem.ts";
import {
  type Entry,
  entrySchema,
  errorSchema,
  type Handoff,
  handoffSchema,
  type SearchResult,
  searchSchema,
  type VoiceWidget,
  voiceWidgetSchema,
} from "./schemas.ts";

/** Which widget this page is, as the loader says. */
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
 * The voice interface's side of the API. Every call rejects when the server refuses or cannot be reached: with the
 * problem `limit_reached` when a daily cap is in the way.
 */
export interface VoiceApi {
  widget(): Promise<VoiceWidget>;
  /** What a session is entered with. Written sessions always go by WebSocket. */
  enter(options: { written: boolean }): Promise<Entry>;
  search(sessionToken: string, query: string): Promise<SearchResult[]>;
  sendFeedback(sessionToken: string, feedback: Feedback): Promise<void>;
  handOff(sessionToken: string, request: { conversationId: string; reason?: string }): Promise<Handoff>;
  /** Sent even when the page is being left. */
  endHandoff(sessionToken: string, handoffId: string): Promise<void>;
}

export interface Feedback {
  conversationId: string;
  /** 1 to 5. */
  rating: number;
  comment: string;
}

const PATIENCE_MS = 15_000;

export function createVoiceApi({ api, key, widget, language }: VoiceWidgetId): VoiceApi {
  const id_widget = widget;

  async function ask(path: string, query: Record<string, string>, init: RequestInit = {}): Promise<unknown> {
    const url = `${api}/voice-widget${path}?${new URLSearchParams(query)}`;
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), ...init });
    if (response.ok) return await response.json();
    const refusal = new Error(`${response.status} from /voice-widget${path}`);
    const { data } = errorSchema.safeParse(await response.json().catch(() => undefined));
    throw data?.error === "quota_exceeded" ? new VoiceProblem("limit_reached", refusal) : refusal;
  }

  function get<Schema extends z.ZodMiniType>(path: string, extra: Record<string, string>, schema: Schema) {
    const query = { id_widget, access_key: key, ...pageOrigin(), ...(language && { language }), ...extra };
    return ask(path, query).then((answer): z.infer<Schema> => schema.parse(answer));
  }

  function post(path: string, token: string, body: unknown, keepalive = false): Promise<unknown> {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    return ask(path, { id_widget }, { method: "POST", headers, body: JSON.stringify(body), keepalive });
  }

  return {
    widget: () => get("", {}, voiceWidgetSchema),
    enter: ({ written }) => get("/signed-url", written ? { connection: "websocket" } : {}, entrySchema),
    async search(token, query) {
      const answer = await post("/search", token, { query, ...(language && { language }) });
      return searchSchema.parse(answer).results;
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

/** The page around this one, where the browser tells (Firefox does not): the server knows which may show the widget. */
function pageOrigin(): { page_origin?: string } {
  const origin = globalThis.location?.ancestorOrigins?.[0];
  return origin === undefined ? {} : { page_origin: origin };
}
