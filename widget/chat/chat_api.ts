import * as z from "zod/mini";
import { warn } from "../shared/warn.ts";
import { type ChatEvent, readEvents } from "./read_events.ts";
import {
  type ChatWidget,
  type Consent,
  consentSchema,
  conversationSchema,
  type FileLink,
  historySchema,
  linkSchema,
  type Message,
  type Page,
  postedSchema,
} from "./schemas.ts";
import { typeOfFile } from "../shared/file_types.ts";

/** A conversation and the token that opens it. */
export interface Ticket {
  id: string;
  token: string;
  /** The API has accepted the visitor's signed identity. */
  isSigned?: boolean;
}

/** The visitor as the widget knows them. */
export interface Visitor {
  userId: string;
  language: string;
  page: Page | undefined;
  /** The text that the visitor accepted, where the widget asks for it. */
  consent?: Consent | undefined;
}

/** A message of the visitor. */
export interface SentMessage {
  /** The `client_message_id`. */
  id: string;
  /** Of a file, its name. */
  text: string;
  file?: File;
  isQuickReply?: boolean;
}

export interface ChatApi {
  /** Opens a conversation, or goes on with that of the ticket. A signature that is refused identifies no visitor. */
  open(visitor: Visitor, ticket?: Ticket): Promise<Ticket>;
  /** Returns the last messages, or those after the number `after`, and the conversation's status. */
  history(ticket: Ticket, after?: number): Promise<z.infer<typeof historySchema>>;
  /** Returns the last messages before the number `before`. */
  earlier(ticket: Ticket, before: number): Promise<Message[]>;
  /** Sends a message or a file. With an `id` that was sent before, returns the stored message. */
  post(ticket: Ticket, message: SentMessage): Promise<Message>;
  /** Returns a link that opens the file of a message for a while. */
  linkFile(ticket: Ticket, sequence: number): Promise<FileLink>;
  sendTyping(ticket: Ticket, isTyping: boolean): Promise<void>;
  /** Reports that the visitor has seen the messages up to this one. */
  sendRead(ticket: Ticket, sequence: number): Promise<void>;
  /** Stores where the visitor wants replies by e-mail. */
  sendEmail(ticket: Ticket, email: string): Promise<void>;
  sendRating(ticket: Ticket, rating: { rating: number; comment: string }): Promise<void>;
  /** Returns the text that the widget asks visitors to accept now. */
  readConsent(): Promise<Consent | null>;
  /** Asks for a person instead of a machine. May be repeated. */
  requestPerson(ticket: Ticket): Promise<void>;
  /**
   * Streams the events after the message number `after`, until the server ends the stream or `signal` is aborted. Calls
   * `onOpen` once the stream is open.
   */
  follow(ticket: Ticket, options: FollowOptions): Promise<void>;
}

export interface FollowOptions {
  after: number;
  signal: AbortSignal;
  onOpen: () => void;
  onEvent: (event: ChatEvent) => void;
}

const TIMEOUT_MS = 15_000;
/** Of a large file over a slow line. */
const UPLOAD_MS = 300_000;

/** Creates the client. Throws `ApiError` when the API refuses a request, other errors when it is unavailable. */
export function createChatApi({ base_url, access_key, widget_id }: ChatWidget): ChatApi {
  const conversations = `${base_url}/widget/conversations`;
  const path = ({ id }: Ticket, part: string) => `${conversations}/${encodeURIComponent(id)}/${part}`;

  async function requestJson<Schema extends z.ZodMiniType>(
    url: string,
    schema: Schema,
    init: RequestInit,
    timeoutMs = TIMEOUT_MS,
  ): Promise<z.infer<Schema>> {
    const response = await request(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    return schema.parse(await response.json());
  }

  /** Sends a report that has no response. */
  async function send(ticket: Ticket, part: string, report: Record<string, unknown>): Promise<void> {
    const { body, headers } = json(report);
    const init = { method: "POST", headers: { ...headers, ...authorization(ticket) }, body };
    await request(path(ticket, part), { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  }

  return {
    async open(visitor, ticket) {
      const query = new URLSearchParams({ access_key, widget_id });
      const openAs = async (identity: unknown) => {
        const { body, headers } = json(visitorFields(visitor, identity));
        return await requestJson(`${conversations}?${query}`, conversationSchema, {
          method: "POST",
          headers: { ...headers, ...(ticket && authorization(ticket)) },
          body,
        });
      };
      const identity = visitor.page?.identity;
      let isSigned = Boolean(identity);
      const opened = await openAs(identity).catch((error) => {
        if (!identity || !(error instanceof ApiError) || error.status !== 400) throw error;
        warn("the API refused the visitor's identity: the chat goes on without it");
        isSigned = false;
        return openAs(undefined);
      });
      return { id: opened.conversation_id, token: opened.visitor_token, ...(isSigned && { isSigned }) };
    },
    history(ticket, after) {
      const query = after === undefined ? "" : `?after=${after}`;
      return requestJson(path(ticket, "messages") + query, historySchema, { headers: authorization(ticket) });
    },
    async earlier(ticket, before) {
      const url = `${path(ticket, "messages")}?before=${before}`;
      return (await requestJson(url, historySchema, { headers: authorization(ticket) })).messages;
    },
    async post(ticket, { id, text, file, isQuickReply }) {
      const { body, headers } = file
        ? { body: file, headers: { "Content-Type": typeOfFile(file) } }
        : json({ client_message_id: id, text, ...(isQuickReply && { quick_reply: true }) });
      const url = file
        ? `${path(ticket, "files")}?${new URLSearchParams({ client_message_id: id, file_name: text })}`
        : path(ticket, "messages");
      const response = await requestJson(url, postedSchema, {
        method: "POST",
        headers: { ...headers, ...authorization(ticket) },
        body,
      }, file ? UPLOAD_MS : TIMEOUT_MS);
      return response.message;
    },
    linkFile: (ticket, sequence) =>
      requestJson(path(ticket, `messages/${sequence}/file`), linkSchema, { headers: authorization(ticket) }),
    sendTyping: (ticket, isTyping) => send(ticket, "typing", { is_typing: isTyping }),
    sendRead: (ticket, sequence) => send(ticket, "read", { sequence }),
    sendEmail: (ticket, email) => send(ticket, "email", { email }),
    sendRating: (ticket, rating) => send(ticket, "rating", rating),
    async readConsent() {
      const query = new URLSearchParams({ access_key, widget_id });
      return (await requestJson(
        `${base_url}/widget?${query}`,
        z.object({ consent: z.nullable(consentSchema) }),
        {},
      ))
        .consent;
    },
    async requestPerson(ticket) {
      const init = { method: "POST", headers: authorization(ticket) };
      await request(path(ticket, "handoff"), { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    },
    async follow(ticket, { after, signal, onOpen, onEvent }) {
      const headers = { ...authorization(ticket), "Last-Event-ID": String(after) };
      const stream = new AbortController();
      const abort = () => stream.abort();
      signal.addEventListener("abort", abort, { once: true });
      // Some proxies buffer a stream until it ends. The caller then polls for messages.
      const timeout = setTimeout(abort, TIMEOUT_MS);
      try {
        const init = { headers, signal: stream.signal, cache: "no-store" } as const;
        const response = await request(path(ticket, "events"), init);
        clearTimeout(timeout);
        onOpen();
        await readEvents(response.body!, { signal: stream.signal, onEvent });
      } finally {
        clearTimeout(timeout);
        signal.removeEventListener("abort", abort);
        abort();
      }
    },
  };
}

function visitorFields(
  { userId, language, page, consent }: Visitor,
  identity: unknown,
): Record<string, unknown> {
  return {
    user_id: userId,
    ...(language && { language }),
    ...(page?.url && { page_url: page.url }),
    ...(page?.title && { page_title: page.title }),
    ...(consent && { consent }),
    ...(identity ? { identity } : {}),
  };
}

async function request(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, credentials: "omit", referrerPolicy: "no-referrer" });
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({ error: undefined }));
  const retryAfterS = Number(response.headers.get("Retry-After"));
  throw new ApiError(
    response.status,
    typeof error === "string" ? error : "unknown",
    retryAfterS > 0 ? retryAfterS : undefined,
  );
}

function json(value: unknown): { body: string; headers: Record<string, string> } {
  return { body: JSON.stringify(value), headers: { "Content-Type": "application/json" } };
}

function authorization({ token }: Ticket): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

/** The API refused a request. Any other error means that it is unavailable. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** The code of the error, such as `conversation_closed`. */
  readonly code: string;
  /** From the `Retry-After` header. */
  readonly retryAfterS: number | undefined;

  constructor(status: number, code: string, retryAfterS?: number) {
    super(`${status} ${code}`);
    this.status = status;
    this.code = code;
    this.retryAfterS = retryAfterS;
  }

  /** The server failed or is busy: a retry may succeed. */
  get isTemporary(): boolean {
    return this.status >= 500 || this.status === 429 || this.status === 408;
  }

  /** The limit that was reached, if any. */
  get limit(): "too_many" | "limit_reached" | undefined {
    if (this.status !== 429) return undefined;
    return this.code === "quota_exceeded" ? "limit_reached" : "too_many";
  }

  /** The token or the key is not valid. */
  get isRefusal(): boolean {
    return this.status === 401 || this.status === 403 || this.status === 404;
  }
}
