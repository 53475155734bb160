import { EndpointError } from "./endpoint_error.ts";

/** The part of a connection that is read; `Deno.Conn` is one. */
export interface ByteSource {
  read(into: Uint8Array): Promise<number | null>;
}

/** Bytes of a body, as they came. */
export type Pieces = AsyncGenerator<Uint8Array<ArrayBuffer>, void>;

/** The largest record of TLS. */
const READ_BYTES = 16 * 1024;

/** Reads a connection by lines and by pieces. It keeps one piece at a time in memory. */
export class ByteReader {
  #unread: Uint8Array<ArrayBuffer> = new Uint8Array();
  #source: ByteSource;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /**
   * Returns the text up to the next line break, without it; undefined when the connection ends before.
   *
   * @throws {EndpointError} when the line is longer than `maxBytes`
   */
  async line(maxBytes: number): Promise<string | undefined> {
    let text = "";
    for (;;) {
      if (this.#unread.length === 0 && !await this.#more()) return undefined;
      const end = this.#unread.indexOf(10);
      // Latin-1 has one character per byte.
      text += new TextDecoder("latin1").decode(this.#take(end < 0 ? this.#unread.length : end + 1));
      if (text.length > maxBytes) throw headTooLong();
      if (end >= 0) return text.replace(/\r?\n$/, "");
    }
  }

  /**
   * Yields exactly `count` bytes, in pieces as they come.
   *
   * @throws {EndpointError} when the connection ends before
   */
  async *exactly(count: number): Pieces {
    for (let missing = count; missing > 0;) {
      if (this.#unread.length === 0 && !await this.#more()) throw cutOff();
      const piece = this.#take(Math.min(missing, this.#unread.length));
      missing -= piece.length;
      yield piece;
    }
  }

  /** Yields everything up to the end of the connection, in pieces as they come. */
  async *rest(): Pieces {
    while (this.#unread.length > 0 || await this.#more()) yield this.#take(this.#unread.length);
  }

  #take(count: number): Uint8Array<ArrayBuffer> {
    const taken = this.#unread.subarray(0, count);
    this.#unread = this.#unread.subarray(count);
    return taken;
  }

  async #more(): Promise<boolean> {
    const chunk = new Uint8Array(READ_BYTES);
    const size = await this.#source.read(chunk);
    this.#unread = chunk.subarray(0, size ?? 0);
    return size !== null;
  }
}

/** Returns the error for a body that ends too early. */
export function cutOff(): EndpointError {
  return new EndpointError("The connection broke before the whole of it had come");
}

/** Returns the error for a head, or a line of it, beyond its limits. */
export function headTooLong(): EndpointError {
  return new EndpointError("The head of the endpoint's response is too long");
}
