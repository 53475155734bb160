import type { PGlite } from "@electric-sql/pglite";
import { concat, FrameReader, makeFrame } from "./frames.ts";
import { Turns } from "./turns.ts";

/** What came back for some messages, and where that leaves the session. */
export interface Answer {
  bytes: Uint8Array;
  /** The transaction status of the last ReadyForQuery: idle, in a transaction, in a failed one; nothing if none came. */
  status: "I" | "T" | "E" | undefined;
}

/**
 * The one session PGlite has, shared by every connection in turns.
 *
 * A connection keeps its turn from the first message of a query to the moment the session is idle again. Letting
 * others in between two messages, even outside a transaction, would mix up their unnamed statements.
 */
export class Session {
  readonly turns = new Turns();
  readonly #database: PGlite;
  readonly #onNotification: (message: Uint8Array) => void;
  #changes = 0;

  /** @param onNotification gets each NOTIFY that was heard, as the message to pass on */
  constructor(database: PGlite, onNotification: (message: Uint8Array) => void) {
    this.#database = database;
    this.#onNotification = onNotification;
  }

  /** Whether anything was run since the last call. */
  takeActivity(): boolean {
    const active = this.#changes > 0;
    this.#changes = 0;
    return active;
  }

  /** Runs the messages. The caller must hold the turn. */
  async execute(messages: Uint8Array): Promise<Answer> {
    this.#changes++;
    const pieces: Uint8Array[] = [];
    await this.#database.execProtocolRawStream(messages, {
      onRawData: (bytes) => void pieces.push(bytes.slice()),
    });
    return this.#read(concat(pieces));
  }

  /** Leaves nothing open for whoever has the next turn. The caller must hold the turn. */
  async reset(): Promise<void> {
    await this.execute(makeFrame("S", new Uint8Array()));
    await this.query("rollback");
  }

  /** Runs SQL of our own and throws the answer away. The caller must hold the turn. */
  async query(text: string): Promise<void> {
    await this.execute(makeFrame("Q", new TextEncoder().encode(`${text}\0`)));
  }

  #read(bytes: Uint8Array<ArrayBuffer>): Answer {
    const reader = new FrameReader();
    reader.push(bytes);
    const kept: Uint8Array[] = [];
    let status: Answer["status"];
    for (let frame = reader.next({ typed: true }); frame; frame = reader.next({ typed: true })) {
      if (frame.type === "A") this.#onNotification(frame.bytes);
      else kept.push(frame.bytes);
      if (frame.type === "Z") status = String.fromCharCode(frame.bytes[5]!) as Answer["status"];
    }
    return { bytes: concat(kept), status };
  }
}
