import { EndpointError } from "./endpoint_error.ts";

/** The part of a connection that is read; `Deno.Conn` is one. */
export interface ByteSource {
  read(into: Uint8Array): Promise<number | null>;
}

/** Bytes of a body, as they came. */
export type Pieces = AsyncGenerator<Uint8Array<ArrayBuffer>, void>;

/** The largest head that is read. */
export interface HeadLimits {
  /** Bytes of all lines together. */
  bytes: number;
  lineBytes: number;
  /** Number of headers. */
  headers: number;
}

/** Of a response with its headers, usually one read. A larger head makes the buffer larger, up to its limit. */
const BUFFER_BYTES = 8 * 1024;
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** Reads a connection by heads, lines and pieces, through one buffer that is used again and again. */
export class ByteReader {
  #buffer = new Uint8Array(BUFFER_BYTES);
  /** Between these are the bytes that have come and are not read yet. */
  #start = 0;
  #end = 0;
  #source: ByteSource;
  #reading: Promise<number | null> | undefined;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Whether everything that has come is read. */
  isEmpty(): boolean {
    return this.#start === this.#end;
  }

  /** Starts to read before the caller does. Resolves as soon as something has come, be it the end or a failure. */
  async ahead(): Promise<void> {
    this.#reading ??= this.#read();
    await this.#reading.catch(() => {});
  }

  /**
   * Returns the text of the lines before the next empty line; undefined when the connection ends before.
   *
   * @throws {EndpointError} when they exceed a limit
   */
  async head({ bytes, lineBytes, headers }: HeadLimits): Promise<string | undefined> {
    for (let [line, seen, lines] = [0, 0, 0];;) {
      for (let end; (end = this.#lineFeedFrom(seen)) >= 0; line = seen = end + 1) {
        const length = end - line;
        const isEmpty = length === 0 || length === 1 && this.#buffer[this.#start + line] === CARRIAGE_RETURN;
        if (isEmpty) return this.#text(line, end + 1);
        // The first line is the status.
        if (length > lineBytes || end > bytes || lines++ > headers) throw headTooLong();
      }
      seen = this.#end - this.#start;
      if (seen - line > lineBytes || seen > bytes) throw headTooLong();
      if (!await this.#more()) return undefined;
    }
  }

  /**
   * Returns the text up to the next line break, without it; undefined when the connection ends before.
   *
   * @throws {EndpointError} when the line is longer than `maxBytes`
   */
  async line(maxBytes: number): Promise<string | undefined> {
    for (let seen = 0;;) {
      const end = this.#lineFeedFrom(seen);
      seen = end < 0 ? this.#end - this.#start : end;
      if (seen > maxBytes) throw headTooLong();
      if (end >= 0) return this.#text(end, end + 1).replace(/\r$/, "");
      if (!await this.#more()) return undefined;
    }
  }

  /** Returns the next `count` bytes if they have come already; they are valid until the next read. */
  peek(count: number): Uint8Array<ArrayBuffer> | undefined {
    return this.#end - this.#start < count
      ? undefined
      : this.#buffer.subarray(this.#start, this.#start + count);
  }

  /** Skips bytes that `peek` returned. */
  skip(count: number): void {
    this.#start += count;
  }

  /**
   * Yields exactly `count` bytes, in pieces as they come.
   *
   * @throws {EndpointError} when the connection ends before
   */
  async *exactly(count: number): Pieces {
    for (let missing = count; missing > 0;) {
      if (this.isEmpty() && !await this.#more()) throw cutOff();
      const piece = this.#take(missing);
      missing -= piece.length;
      yield piece;
    }
  }

  /** Yields everything up to the end of the connection, in pieces as they come. */
  async *rest(): Pieces {
    while (!this.isEmpty() || await this.#more()) yield this.#take(Infinity);
  }

  /** Copies, because the buffer is used again while the piece is on its way. */
  #take(max: number): Uint8Array<ArrayBuffer> {
    const piece = this.#buffer.slice(this.#start, Math.min(this.#end, this.#start + max));
    this.#start += piece.length;
    return piece;
  }

  /** Decodes the next `length` bytes and skips the next `skipped` ones. */
  #text(length: number, skipped: number): string {
    const text = DECODER.decode(this.#buffer.subarray(this.#start, this.#start + length));
    this.#start += skipped;
    return text;
  }

  /** Returns the index of the next line feed, counted from the next byte; -1 when it has not come. */
  #lineFeedFrom(offset: number): number {
    const found = this.#buffer.indexOf(LINE_FEED, this.#start + offset);
    return found < 0 || found >= this.#end ? -1 : found - this.#start;
  }

  async #more(): Promise<boolean> {
    const reading = this.#reading ?? this.#read();
    this.#reading = undefined;
    const size = await reading;
    this.#end += size ?? 0;
    return size !== null;
  }

  #read(): Promise<number | null> {
    this.#makeRoom();
    return this.#source.read(this.#buffer.subarray(this.#end));
  }

  #makeRoom(): void {
    const unread = this.#buffer.subarray(this.#start, this.#end);
    if (this.#start === 0 && this.#end === this.#buffer.length) {
      this.#buffer = new Uint8Array(2 * this.#buffer.length);
      this.#buffer.set(unread);
    } else if (this.#start > 0) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
    }
    [this.#start, this.#end] = [0, unread.length];
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
