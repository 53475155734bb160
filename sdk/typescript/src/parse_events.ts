/** A server-sent event; without `type` and `data` it only moves the last id. */
export interface ServerEvent {
  type: string;
  data: string;
  id?: string;
}

/**
 * Reads a `text/event-stream` body. An event that is cut off at the end is left out. Ends when
 * `signal` aborts.
 *
 * @param silenceMs returns how long the connection may be silent before it counts as lost
 */
export async function* parseEvents(
  body: ReadableStream<Uint8Array>,
  { silenceMs, signal }: { silenceMs: () => number; signal?: AbortSignal },
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const stop = () => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", stop);
  let rest = "";
  try {
    while (!signal?.aborted) {
      const { value, done } = await readWithin(reader, silenceMs(), stop);
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop()!;
      for (const block of blocks) yield parseBlock(block);
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
  }
}

async function readWithin(reader: ReadableStreamDefaultReader<Uint8Array>, ms: number, stop: () => void) {
  const timer = setTimeout(stop, ms);
  return await reader.read().finally(() => clearTimeout(timer));
}

function parseBlock(block: string): ServerEvent {
  const event: ServerEvent = { type: "", data: "" };
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === "event") event.type = value;
    if (name === "data") event.data += event.data === "" ? value : `\n${value}`;
    if (name === "id") event.id = value;
  }
  return event;
}
