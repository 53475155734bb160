import { timingSafeEqual } from "node:crypto";
import { concat, type Frame, FrameReader, makeFrame, readInt, refuseCopy } from "./frames.ts";
import type { Session } from "./session.ts";

export interface ConnectionOptions {
  /** The password, sent in clear text over the loopback interface. Absent = any local user may connect. */
  password?: string;
  /** The time a client may leave a transaction open without a message, in milliseconds; others wait meanwhile. */
  idleInTransactionMs: number;
}

/**
 * One client of the database: reads its messages, runs them when it holds the session's lock, and sends the responses.
 */
export class Connection {
  readonly #socket: Deno.TcpConn;
  readonly #session: Session;
  readonly #options: ConnectionOptions;
  readonly #reader = new FrameReader();
  readonly #statements = new Set<string>();
  #unlock: (() => void) | undefined;
  #ready = false;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(socket: Deno.TcpConn, session: Session, options: ConnectionOptions) {
    this.#socket = socket;
    this.#session = session;
    this.#options = options;
  }

  /** Serves the client until it disconnects, breaks the protocol or is closed. Rejects only when the database broke. */
  async serve(): Promise<void> {
    try {
      if (await this.#start()) await this.#talk();
    } catch (error) {
      if (error instanceof SessionBroken) throw error.cause;
    } finally {
      this.close();
      await this.#leave();
    }
  }

  /** Passes on a notification once the client has started. */
  notify(message: Uint8Array): void {
    if (this.#ready) this.#send(message);
  }

  /** Ends the connection. */
  close(): void {
    try {
      this.#socket.close();
    } catch {
      // The socket is closed already.
    }
  }

  async #start(): Promise<boolean> {
    let startup = await this.#next({ typed: false });
    while (startup && ENCRYPTION_REQUESTS.has(readInt(startup.bytes, 4))) {
      this.#send(REFUSED);
      startup = await this.#next({ typed: false });
    }
    if (!startup || readInt(startup.bytes, 4) === CANCEL_REQUEST) return false;
    if (!await this.#authenticate()) return false;
    this.#unlock = await this.#session.mutex.lock();
    const { bytes } = await this.#execute(startup.bytes);
    this.#send(bytes);
    this.#ready = true;
    this.#unlockSession();
    return true;
  }

  async #authenticate(): Promise<boolean> {
    const { password } = this.#options;
    if (password === undefined) return true;
    this.#send(ASK_FOR_PASSWORD);
    const reply = await this.#next({ typed: true });
    if (reply?.type === "p" && sameText(reply.bytes.subarray(5, -1), password)) return true;
    this.#send(fatal("28P01", "password authentication failed"));
    await this.#writing;
    return false;
  }

  async #talk(): Promise<void> {
    while (true) {
      const batch = await this.#nextBatch();
      if (batch.length === 0) return;
      this.#remember(batch);
      this.#unlock ??= await this.#session.mutex.lock();
      const { bytes, status } = await this.#execute(concat(batch.map((frame) => frame.bytes)));
      this.#send(bytes);
      if (status === "I" && ENDS_QUERY.has(batch.at(-1)!.type)) this.#unlockSession();
    }
  }

  /** Returns all messages received, at least one; none when the client has disconnected. */
  async #nextBatch(): Promise<Frame[]> {
    const batch: Frame[] = [];
    for (let frame = await this.#next({ typed: true }); frame; frame = this.#reader.next({ typed: true })) {
      if (frame.type === "X") break;
      batch.push(refuseCopy(frame));
    }
    return batch;
  }

  async #next(options: { typed: boolean }): Promise<Frame | undefined> {
    const buffer = new Uint8Array(64 * 1024);
    for (let frame = this.#reader.next(options);; frame = this.#reader.next(options)) {
      if (frame) return frame;
      const length = await this.#read(buffer);
      if (length === null) return undefined;
      this.#reader.push(buffer.subarray(0, length));
    }
  }

  async #read(buffer: Uint8Array): Promise<number | null> {
    if (!this.#unlock) return await this.#socket.read(buffer);
    const timer = setTimeout(() => {
      this.#send(fatal("25P03", "terminating connection due to idle-in-transaction timeout"));
      this.#writing.finally(() => this.close());
    }, this.#options.idleInTransactionMs);
    try {
      return await this.#socket.read(buffer);
    } finally {
      clearTimeout(timer);
    }
  }

  async #execute(messages: Uint8Array) {
    try {
      return await this.#session.execute(messages);
    } catch (cause) {
      throw new SessionBroken("The database stopped", { cause });
    }
  }

  /** Sends responses one after the other; the next read notices a client that has disconnected. */
  #send(bytes: Uint8Array): void {
    this.#writing = this.#writing.then(() => writeAll(this.#socket, bytes)).catch(() => {});
  }

  /** Named statements stay in the session when their client disconnects, so their names are kept to close them. */
  #remember(batch: Frame[]): void {
    for (const { type, bytes } of batch) {
      if (type !== "P" || bytes[5] === 0) continue;
      this.#statements.add(new TextDecoder().decode(bytes.subarray(5, bytes.indexOf(0, 5))));
    }
  }

  async #leave(): Promise<void> {
    this.#ready = false;
    if (!this.#unlock && this.#statements.size === 0) return;
    const inTheMiddle = this.#unlock !== undefined;
    this.#unlock ??= await this.#session.mutex.lock();
    try {
      if (inTheMiddle) await this.#session.reset();
      await this.#closeStatements();
    } finally {
      this.#unlockSession();
    }
  }

  async #closeStatements(): Promise<void> {
    const encoder = new TextEncoder();
    const closes = [...this.#statements].map((name) => makeFrame("C", encoder.encode(`S${name}\0`)));
    if (closes.length > 0) await this.#session.execute(concat([...closes, makeFrame("S", new Uint8Array())]));
  }

  #unlockSession(): void {
    this.#unlock?.();
    this.#unlock = undefined;
  }
}

class SessionBroken extends Error {}

const CANCEL_REQUEST = 80877102;
/** TLS and GSSAPI. */
const ENCRYPTION_REQUESTS = new Set([80877103, 80877104]);
const REFUSED = new TextEncoder().encode("N");
const ASK_FOR_PASSWORD = makeFrame("R", new Uint8Array([0, 0, 0, 3]));
/** Query and Sync; only after them other clients may use the session. */
const ENDS_QUERY = new Set(["Q", "S"]);

function fatal(code: string, message: string): Uint8Array {
  return makeFrame("E", new TextEncoder().encode(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`));
}

function sameText(given: Uint8Array, expected: string): boolean {
  const bytes = new TextEncoder().encode(expected);
  return given.length === bytes.length && timingSafeEqual(given, bytes);
}

async function writeAll(socket: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await socket.write(rest));
}
