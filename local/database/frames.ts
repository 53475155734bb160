/** One message of the Postgres protocol, version 3: a type, a length that counts itself, and a body. */
export interface Frame {
  /** A letter, such as `Q` for a query; empty for the first message of a connection, which has no type. */
  type: string;
  /** The whole message, type and length included. */
  bytes: Uint8Array;
}

/** Cuts a stream of bytes into messages, in whatever pieces they arrive. */
export class FrameReader {
  #rest = new Uint8Array();

  /** Adds received bytes. */
  push(bytes: Uint8Array): void {
    this.#rest = this.#rest.length === 0 ? bytes.slice() : concat([this.#rest, bytes]);
  }

  /**
   * Returns the next message, or undefined while it is incomplete.
   *
   * @throws RangeError when the length cannot be one
   */
  next(options: { typed: boolean }): Frame | undefined {
    const start = options.typed ? 1 : 0;
    if (this.#rest.length < start + 4) return undefined;
    const length = start + readInt(this.#rest, start);
    if (length < start + 4 || length > MAX_LENGTH) throw new RangeError(`Invalid message length ${length}`);
    if (this.#rest.length < length) return undefined;
    const bytes = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return { type: options.typed ? String.fromCharCode(bytes[0]!) : "", bytes };
  }
}

/** The limit of Postgres for one message. */
const MAX_LENGTH = 0x3fffffff;

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

/**
 * Turns a COPY … FROM STDIN into a statement that fails.
 *
 * PGlite reads the rows while the statement runs, finds none and stops for good. An error leaves it alive and puts a
 * transaction into the state of any other error.
 */
export function refuseCopy(frame: Frame): Frame {
  if (frame.type !== "Q" && frame.type !== "P") return frame;
  const body = new TextDecoder().decode(frame.bytes.subarray(5));
  if (!body.split(/[;\0]/).some((statement) => COPY_IN.test(statement))) return frame;
  const name = frame.type === "P" ? body.slice(0, body.indexOf("\0") + 1) : "";
  const parameterTypes = frame.type === "P" ? "\0\0" : "";
  const bytes = makeFrame(frame.type, new TextEncoder().encode(`${name}${FAIL}\0${parameterTypes}`));
  return { type: frame.type, bytes };
}

const COPY_IN = /^\s*copy\s[^']*\sfrom\s+stdin\b/i;

const FAIL = `do $$ begin raise exception using errcode = 'feature_not_supported',
  message = 'COPY FROM STDIN is not possible on the embedded database'; end $$`;
