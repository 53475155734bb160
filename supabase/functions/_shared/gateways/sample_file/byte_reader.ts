import type { ByteConnection } from "../webhook_endpoint/byte_input.ts";
import { EndpointError } from "../webhook_endpoint/endpoint_error.ts";

const READ_BYTES = 64 * 1024;

/** Reads a connection by lines and by pieces, of which it holds one at a time. */
export class ByteReader {
  #held: Uint8Array<ArrayBuffer> = new Uint8Array();
  #connection: ByteConnection;

  constructor(connection: ByteConnection) {
    this.#connection = connection;
  }

  /** The text up to the next line break, without it. */
  async line(longest: number): Promise<string> {
    let text = "";
    for (;;) {
      if (this.#held.length === 0 && !await this.#more()) throw cutOff();
      const end = this.#held.indexOf(10);
      text += new TextDecoder("latin1").decode(this.#take(end < 0 ? this.#held.length : end + 1));
      if (text.length > longest) throw new EndpointError("The head of its answer is too long");
      if (end >= 0) return text.replace(/\r?\n$/, "");
    }
  }

  /** Exactly `count` bytes, in pieces as they come. */
  async *exactly(count: number): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    for (let missing = count; missing > 0;) {
      if (this.#held.length === 0 && !await this.#more()) throw cutOff();
      const piece = this.#take(Math.min(missing, this.#held.length));
      missing -= piece.length;
      yield piece;
    }
  }

  /** Everything up to the end of the connection, in pieces as they come. */
  async *rest(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    while (this.#held.length > 0 || await this.#more()) yield this.#take(this.#held.length);
  }

  #take(count: number): Uint8Array<ArrayBuffer> {
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  async #more(): Promise<boolean> {
    const chunk = new Uint8Array(READ_BYTES);
    const size = await this.#connection.read(chunk);
    this.#held = chunk.subarray(0, size ?? 0);
    return size !== null;
  }
}

function cutOff(): EndpointError {
  return new EndpointError("The connection broke before the whole of it had come");
}
