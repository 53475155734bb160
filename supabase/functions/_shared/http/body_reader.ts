/** Reads a stream into buffers of the caller's, which are handed over with each read and come back with its result. */
export interface BodyReader {
  read(room: Uint8Array<ArrayBuffer>): Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>>;
  cancel(): Promise<void>;
}

/**
 * Opens a reader that fills the caller's buffers. Another reader takes 64 KiB for every part that arrives, if that part is
 * one byte: 100 connections that sent a byte per second took 80 MiB in 15 s. A stream that cannot fill buffers, such as one
 * made by a program, is copied into them.
 */
export function openReader(body: ReadableStream<Uint8Array<ArrayBuffer>>): BodyReader {
  try {
    return body.getReader({ mode: "byob" });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return copyingReader(body.getReader());
  }
}

function copyingReader(reader: ReadableStreamDefaultReader<Uint8Array>): BodyReader {
  let rest: Uint8Array = new Uint8Array();
  return {
    async read(room) {
      while (rest.byteLength === 0) {
        const part = await reader.read();
        if (part.done) return { done: true, value: room.subarray(0, 0) };
        rest = part.value;
      }
      const value = room.subarray(0, rest.byteLength);
      value.set(rest.subarray(0, value.byteLength));
      rest = rest.subarray(value.byteLength);
      return { done: false, value };
    },
    cancel: () => reader.cancel(),
  };
}
