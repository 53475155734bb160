import type {
  ByteSource,
  HeadLimits,
} from "../../../../supabase/functions/_shared/gateways/http1/byte_reader.ts";
import { ByteReader } from "../../../../supabase/functions/_shared/gateways/http1/byte_reader.ts";
import { readHead } from "../../../../supabase/functions/_shared/gateways/http1/response_head.ts";
import { readWholeBody } from "../../../../supabase/functions/_shared/gateways/http1/response_body.ts";

/** A connection that delivers these pieces and then ends. */
export function sourceOf(pieces: Iterable<Uint8Array>): ByteSource & { delivered: number } {
  const left = pieces[Symbol.iterator]();
  let rest = new Uint8Array();
  const source = {
    delivered: 0,
    read(into: Uint8Array): Promise<number | null> {
      while (rest.length === 0) {
        const next = left.next();
        if (next.done) return Promise.resolve(null);
        rest = Uint8Array.from(next.value);
      }
      const size = Math.min(rest.length, into.length);
      into.set(rest.subarray(0, size));
      rest = rest.subarray(size);
      source.delivered += size;
      return Promise.resolve(size);
    },
  };
  return source;
}

/** A text of one character per byte, as bytes. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

export const LIMITS: HeadLimits & { bodyBytes: number } = {
  bytes: 4096,
  lineBytes: 1024,
  headers: 20,
  bodyBytes: 2000,
};

/** Reads one whole response. */
export async function readResponse(source: ByteSource) {
  const reader = new ByteReader(source);
  const head = await readHead(reader, LIMITS);
  const body = new TextDecoder().decode(await readWholeBody(reader, head, LIMITS.bodyBytes));
  return {
    status: head.status,
    headers: [...head.headers],
    body,
    mayFollow: head.keepsAlive && reader.isEmpty(),
  };
}
