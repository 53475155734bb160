import type { PGlite } from "@electric-sql/pglite";
import { concat, FrameReader, makeFrame } from "./frames.ts";

/** The response to some messages, and the state of the session after it. */
export interface QueryResult {
  bytes: Uint8Array;
  /**
   * The transaction status of the last ReadyForQuery: idle, in a transaction, in a failed one; undefined if none came.
   */
  status: "I" | "T" | "E" | undefined;
}

/**
 * The one session of PGlite, which all connections share. A connection holds the lock from the first message of a query
 * until the session is idle again. A message of another connection in between, even outside a transaction, would mix up
 * their unnamed statements.
 */
export class Session {
  readonly mutex = new Mutex();
  readonly #database: PGlite;
  readonly #onNotification: (message: Uint8Array) => void;

  /** @param onNotification receives each NOTIFY, as the message to pass on */
  constructor(database: PGlite, onNotification: (message: Uint8Array) => void) {
    this.#database = database;
    this.#onNotification = onNotification;
  }

  /** Runs the messages. The caller must hold the lock. */
  async execute(messages: Uint8Array): Promise<QueryResult> {
    const pieces: Uint8Array[] = [];
    await this.#database.execProtocolRawStream(messages, {
      onRawData: (bytes) => void pieces.push(bytes.slice()),
    });
    return this.#read(concat(pieces));
  }

  /** Rolls back what is open. The caller must hold the lock. */
  async reset(): Promise<void> {
    await this.execute(makeFrame("S", new Uint8Array()));
    await this.query("rollback");
  }

  /** Runs SQL and discards the response. The caller must hold the lock. */
  async query(text: string): Promise<void> {
    await this.execute(makeFrame("Q", new TextEncoder().encode(`${text}\0`)));
  }

  #read(bytes: Uint8Array<ArrayBuffer>): QueryResult {
    const reader = new FrameReader();
    reader.push(bytes);
    const kept: Uint8Array[] = [];
    let status: QueryResult["status"];
    for (let frame = reader.next({ typed: true }); frame; frame = reader.next({ typed: true })) {
      if (frame.type === "A") this.#onNotification(frame.bytes);
      else kept.push(frame.bytes);
      if (frame.type === "Z") status = String.fromCharCode(frame.bytes[5]!) as QueryResult["status"];
    }
    return { bytes: concat(kept), status };
  }
}

/** A lock for one holder at a time, in the order of requests. */
class Mutex {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when the caller holds the lock. The returned function unlocks; a second call does nothing. */
  async lock(): Promise<() => void> {
    const released = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = released.promise;
    await before;
    return released.resolve;
  }
}
