/** What an HTTP exchange needs of a connection; `Deno.Conn` is one. */
export interface ByteConnection {
  read(into: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
}

const READ_BYTES = 4096;

/** Bytes that have arrived on a connection and were not used yet. */
export class ByteInput {
  bytes = new Uint8Array();
  #connection: ByteConnection;

  constructor(connection: ByteConnection) {
    this.#connection = connection;
  }

  /** Waits for more; false at the end of the connection. */
  async more(): Promise<boolean> {
    const chunk = new Uint8Array(READ_BYTES);
    const size = await this.#connection.read(chunk);
    if (size === null) return false;
    this.bytes = concatBytes(this.bytes, chunk.subarray(0, size));
    return true;
  }
}

/** Both, one after the other. */
export function concatBytes(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}

/** A byte a character, so that positions in the text are positions in the bytes. */
export function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
