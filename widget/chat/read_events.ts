import { createParser, type EventSourceMessage } from "eventsource-parser";
import { type Message, messageSchema, readSchema, statusEventSchema, typingSchema } from "./schemas.ts";

/** An event of a conversation. */
export type ChatEvent =
  | { type: "message"; message: Message }
  | { type: "typing"; isTyping: boolean; name?: string }
  /** The company's side has read up to this message. */
  | { type: "read"; sequence: number }
  | { type: "status"; status: "open" | "closed" };

/** The server writes every 15 s. A stream that is silent for longer is broken. */
const SILENCE_MS = 40_000;

/**
 * Reads a stream of server-sent events to its end, and ignores unknown events. EventSource is no alternative: it can send
 * a token only in the address, which logs would keep.
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
    return typing &&
      { type: "typing", isTyping: typing.is_typing, ...(typing.name !== undefined && { name: typing.name }) };
  }
  if (event === "read") {
    const read = readSchema.safeParse(value).data;
    return read && { type: "read", sequence: read.sequence };
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
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The stream fell silent")), SILENCE_MS);
  });
  return await Promise.race([work, silence]).finally(() => clearTimeout(timer));
}
