import type { ByteReader } from "./byte_reader.ts";
import type { ResponseHead } from "./response_head.ts";
import { readWholeBody } from "./response_body.ts";

const DECODER = new TextDecoder();

/** The encodings that the runtime decodes. We ask for no encoding, but something on the way may not care. */
const FORMATS: Record<string, CompressionFormat> = { gzip: "gzip", "x-gzip": "gzip", deflate: "deflate" };

/**
 * Reads a response's body as text. Returns undefined when it is longer than `maxBytes`, before or after decoding, is cut
 * off, or is in an encoding that the runtime does not know.
 */
export async function readBodyText(
  reader: ByteReader,
  head: ResponseHead,
  maxBytes: number,
): Promise<string | undefined> {
  try {
    const body = await readWholeBody(reader, head, maxBytes);
    const encoding = head.headers.get("content-encoding")?.toLowerCase() ?? "identity";
    return encoding === "identity" ? DECODER.decode(body) : await decode(body, encoding, maxBytes);
  } catch {
    return undefined;
  }
}

async function decode(
  body: Uint8Array<ArrayBuffer>,
  encoding: string,
  maxBytes: number,
): Promise<string | undefined> {
  const format = Object.hasOwn(FORMATS, encoding) ? FORMATS[encoding]! : undefined;
  return format &&
    await readText(new Blob([body]).stream().pipeThrough(new DecompressionStream(format)), maxBytes);
}

/** Reads a stream as text; undefined when it is longer than `maxBytes`. */
export async function readText(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  // Returning early cancels the stream.
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
