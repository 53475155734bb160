import type { ByteConnection } from "../webhook_endpoint/byte_input.ts";
import { EndpointError } from "../webhook_endpoint/endpoint_error.ts";

const READ_BYTES = 64 * 1024;

/** Reads a connection by lines and by numbers of bytes, copying each byte once or twice whatever their number. */
export class ByteReader {
  #held: Uint8Array = new Uint8Array();
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

  /** So many bytes. Memory is taken as they come: a size that is only announced costs nothing. */
  async exactly(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const parts: Uint8Array[] = [];
    for (let missing = count; missing > 0;) {
      if (this.#held.length === 0 && !await this.#more()) throw cutOff();
      const part = this.#take(Math.min(missing, this.#held.length));
      parts.push(part);
      missing -= part.length;
    }
    return joined(parts);
  }

  /** Everything up to the end of the connection. */
  async rest(most: number): Promise<Uint8Array<ArrayBuffer>> {
    const parts: Uint8Array[] = [];
    for (let size = 0;;) {
      if (this.#held.length === 0 && !await this.#more()) return joined(parts);
      const part = this.#take(this.#held.length);
      size += part.length;
      if (size > most) throw new EndpointError(`It is larger than ${most / 1024 / 1024} MB`);
      parts.push(part);
    }
  }

  #take(count: number): Uint8Array {
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

function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function cutOff(): EndpointError {
  return new EndpointError("The connection broke before the whole of it had come");
}
