import { createParser, type EventSourceMessage } from "eventsource-parser";
import { type Message, messageSchema, statusEventSchema, typingSchema } from "./schemas.ts";

/** What the server tells of a conversation. */
export type ChatEvent =
  | { type: "message"; message: Message }
  | { type: "typing"; isTyping: boolean }
  | { type: "status"; status: "open" | "closed" };

/** The server says something every 15 s; a stream silent for longer has died without either side being told. */
const SILENCE_MS = 40_000;

/**
 * Reads a stream of server-sent events to its end. Read by hand and not by EventSource, which cannot send a token but in
 * the address, where logs would keep it. Events that are none of ours are passed over.
 *
 * @throws when the stream breaks or falls silent
 */
export async function readEvents(
  stream: ReadableStream<Uint8Array>,
  { signal, onEvent }: { signal: AbortSignal; onEvent: (event: ChatEvent) => void },
): Promise<void> {
  const parser = createParser({
    onEvent: (raw) => {
      const event = parseEvent(raw);
      if (event) onEvent(event);
    },
  });
  const reader = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read());
      if (done || signal.aborted) return;
      parser.feed(value);
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

function parseEvent({ event, data }: EventSourceMessage): ChatEvent | undefined {
  const value = parseJson(data);
  if (event === "message") {
    const message = messageSchema.safeParse(value).data;
    return message && { type: "message", message };
  }
  if (event === "typing") {
    const typing = typingSchema.safeParse(value).data;
    return typing && { type: "typing", isTyping: typing.is_typing };
  }
  const status = event === "status" ? statusEventSchema.safeParse(value).data : undefined;
  return status && { type: "status", status: status.status };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: number | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The stream fell silent")), SILENCE_MS);
  });
  return await Promise.race([work, silence]).finally(() => clearTimeout(timer));
}
