import { Buffer } from "node:buffer";
import { HEAD_BYTES } from "./media_types.ts";

/** A file whose beginning was read. Its body has all of it; cancel a body that is not read. */
export interface FileWithHead {
  /** The first bytes, up to `HEAD_BYTES`. */
  head: Uint8Array;
  body: ReadableStream<Uint8Array>;
}

/** Reads the beginning of a file, which shows its type. */
export async function readHead(parts: AsyncIterator<Uint8Array>): Promise<FileWithHead> {
  const first: Uint8Array[] = [];
  for (let size = 0; size < HEAD_BYTES;) {
    const { value, done } = await parts.next();
    if (done) break;
    first.push(value);
    size += value.byteLength;
  }
  const head = new Uint8Array(Buffer.concat(first)).subarray(0, HEAD_BYTES);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const part = first.shift();
      if (part !== undefined) return controller.enqueue(part);
      const { value, done } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void await parts.return?.(),
  });
  return { head, body };
}
