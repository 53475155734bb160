import { ByteReader, type HeadLimits } from "./byte_reader.ts";
import { closeQuietly } from "./connect.ts";
import { writeRequest } from "./request.ts";
import { readHead, type ResponseHead } from "./response_head.ts";
import { readBodyText } from "./response_text.ts";

/** A response read to its end. */
export interface WholeResponse {
  head: ResponseHead;
  /** The body as text; undefined when it was cut off, too long, or in an encoding we cannot read. */
  text: string | undefined;
}

/** The most of a response that is read. */
export interface ResponseLimits {
  head: HeadLimits;
  bodyBytes: number;
}

/**
 * A connection that serves one request after the other. A read is always under way, also while nothing is asked. So the
 * end of the connection, and unsolicited bytes, show before the next request is written to it.
 */
export class KeptConnection {
  #connection: Deno.Conn;
  #reader: ByteReader;
  #requests = 0;
  #isOver = false;

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
    this.#reader = new ByteReader(connection);
  }

  /** Whether no request may be written any more. */
  isOver(): boolean {
    return this.#isOver;
  }

  /** Reads while no request is under way, and closes the connection when anything comes. Then calls `onEnd`. */
  watch(onEnd: () => void): void {
    const requests = this.#requests;
    this.#reader.ahead().then(() => {
      if (this.#requests > requests || this.#isOver) return;
      this.close();
      onEnd();
    });
  }

  /**
   * Writes one request, at once and once, and reads its response. The connection is over afterwards unless another
   * request may follow, and so it is after a response that belongs to another request. Calls `isOwn` once with the text
   * of the response, if there is one.
   *
   * @throws {Error} when the connection broke before the head of a response came, or the head is not HTTP
   */
  async exchange(
    request: Uint8Array,
    limits: ResponseLimits,
    isOwn: (text: string) => boolean = () => true,
  ): Promise<WholeResponse> {
    this.#requests++;
    let isWritten = false;
    // A server may respond before it has read all of the request: the response counts, not the write.
    writeRequest(this.#connection, request).then(() => isWritten = true, () => {});
    try {
      const head = await readHead(this.#reader, limits.head);
      const text = await readBodyText(this.#reader, head, limits.bodyBytes);
      const isWhole = text !== undefined && isOwn(text);
      const isClean = isWritten && isWhole && this.#reader.isEmpty();
      if (!head.keepsAlive || !isClean) this.close();
      return { head, text };
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Closes the connection; a request under way fails. */
  close(): void {
    this.#isOver = true;
    closeQuietly(this.#connection);
  }
}
