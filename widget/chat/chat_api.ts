import * as z from "zod/mini";
import { ApiError } from "./api_error.ts";
import { type ChatEvent, readEvents } from "./read_events.ts";
import {
  type ChatWidget,
  conversationSchema,
  historySchema,
  type Message,
  type Page,
  postedSchema,
} from "./schemas.ts";

/** A conversation and what opens it. */
export interface Ticket {
  id: string;
  token: string;
}

export interface ChatApi {
  open(visitor: { userId: string; language: string; page: Page | undefined }): Promise<Ticket>;
  /** The last messages, or those behind the number `after`, and whether the conversation goes on. */
  history(ticket: Ticket, after?: number): Promise<z.infer<typeof historySchema>>;
  /** The same `id` again gives the message that is there. */
  post(ticket: Ticket, message: { id: string; text: string }): Promise<Message>;
  tellTyping(ticket: Ticket, isTyping: boolean): Promise<void>;
  /**
   * What happens behind the message number `after`, until the server ends the stream or `signal` does; `onOpen` is called
   * once it is there.
   */
  follow(ticket: Ticket, options: FollowOptions): Promise<void>;
}

export interface FollowOptions {
  after: number;
  signal: AbortSignal;
  onOpen: () => void;
  onEvent: (event: ChatEvent) => void;
}

const PATIENCE_MS = 15_000;

/** The chat's side of the API. Throws `ApiError` for refusals, and anything else when the server cannot be reached. */
export function createChatApi({ base_url, access_key, widget_id }: ChatWidget): ChatApi {
  const conversations = `${base_url}/widget/conversations`;
  const path = ({ id }: Ticket, what: string) => `${conversations}/${encodeURIComponent(id)}/${what}`;

  async function ask<Schema extends z.ZodMiniType>(
    url: string,
    schema: Schema,
    init: RequestInit,
  ): Promise<z.infer<Schema>> {
    const response = await request(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
    return schema.parse(await response.json());
  }

  return {
    async open({ userId, language, page }) {
      const query = new URLSearchParams({ access_key, widget_id });
      const body = json({
        user_id: userId,
        ...(language && { language }),
        ...(page?.url && { page_url: page.url }),
        ...(page?.title && { page_title: page.title }),
      });
      const opened = await ask(`${conversations}?${query}`, conversationSchema, { method: "POST", ...body });
      return { id: opened.conversation_id, token: opened.visitor_token };
    },
    history(ticket, after) {
      const query = after === undefined ? "" : `?after=${after}`;
      return ask(path(ticket, "messages") + query, historySchema, { headers: authorization(ticket) });
    },
    async post(ticket, { id, text }) {
      const { body, headers } = json({ client_message_id: id, text });
      const answer = await ask(path(ticket, "messages"), postedSchema, {
        method: "POST",
        headers: { ...headers, ...authorization(ticket) },
        body,
      });
      return answer.message;
    },
    async tellTyping(ticket, isTyping) {
      const { body, headers } = json({ is_typing: isTyping });
      const init = { method: "POST", headers: { ...headers, ...authorization(ticket) }, body };
      await request(path(ticket, "typing"), { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
    },
    async follow(ticket, { after, signal, onOpen, onEvent }) {
      const headers = { ...authorization(ticket), "Last-Event-ID": String(after) };
      const stream = new AbortController();
      const abort = () => stream.abort();
      signal.addEventListener("abort", abort, { once: true });
      // Some proxies hold a stream back until it ends; nothing would come of waiting for that.
      const tooLate = setTimeout(abort, PATIENCE_MS);
      try {
        const init = { headers, signal: stream.signal, cache: "no-store" } as const;
        const response = await request(path(ticket, "events"), init);
        clearTimeout(tooLate);
        onOpen();
        await readEvents(response.body!, { signal: stream.signal, onEvent });
      } finally {
        clearTimeout(tooLate);
        signal.removeEventListener("abort", abort);
        abort();
      }
    },
  };
}

async function request(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, credentials: "omit", referrerPolicy: "no-referrer" });
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({ error: undefined }));
  const wait = Number(response.headers.get("Retry-After"));
  throw new ApiError(
    response.status,
    typeof error === "string" ? error : "unknown",
    wait > 0 ? wait : undefined,
  );
}

function json(value: unknown): { body: string; headers: Record<string, string> } {
  return { body: JSON.stringify(value), headers: { "Content-Type": "application/json" } };
}

function authorization({ token }: Ticket): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}
