/** One message of the Postgres protocol, version 3: a type, a length that counts itself, and a body. */
export interface Frame {
  /** A letter, such as `Q` for a query; empty for the first message of a connection, which has no type. */
  type: string;
  /** The whole message, type and length included. */
  bytes: Uint8Array;
}

/** Cuts a stream of bytes into messages, whatever pieces they arrive in. */
export class FrameReader {
  #rest = new Uint8Array();

  /** Adds what arrived. */
  push(bytes: Uint8Array): void {
    this.#rest = this.#rest.length === 0 ? bytes.slice() : concat([this.#rest, bytes]);
  }

  /**
   * Takes the next message, or nothing while it is incomplete.
   *
   * @throws RangeError when the length cannot be one
   */
  next(options: { typed: boolean }): Frame | undefined {
    const start = options.typed ? 1 : 0;
    if (this.#rest.length < start + 4) return undefined;
    const length = start + readInt(this.#rest, start);
    if (length < start + 4 || length > LONGEST) throw new RangeError("A message of this length cannot be");
    if (this.#rest.length < length) return undefined;
    const bytes = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return { type: options.typed ? String.fromCharCode(bytes[0]!) : "", bytes };
  }
}

/** The limit of Postgres for one message. */
const LONGEST = 0x3fffffff;

/** The big-endian 32-bit number at `offset`. */
export function readInt(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getInt32(offset);
}

/** Puts a message together. */
export function makeFrame(type: string, body: Uint8Array): Uint8Array {
  const frame = new Uint8Array(5 + body.length);
  frame[0] = type.charCodeAt(0);
  new DataView(frame.buffer).setInt32(1, 4 + body.length);
  frame.set(body, 5);
  return frame;
}

/** Joins pieces into one array. */
export function concat(pieces: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}
