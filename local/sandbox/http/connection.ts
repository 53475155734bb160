import type { IncomingMessage, ServerResponse } from "node:http";

/** The socket behind one request, for answers that HTTP alone cannot give. */
export class Connection {
  #dropped = false;

  constructor(private readonly request: IncomingMessage, private readonly response: ServerResponse) {}

  /** True once nothing more may be written. */
  get dropped(): boolean {
    return this.#dropped;
  }

  /** Closes the socket. The response it returns is never sent. */
  drop(): Response {
    this.#dropped = true;
    this.request.socket.destroy();
    return new Response(null);
  }

  /** Resolves only when the other side, or the server, closes the socket. */
  async hang(): Promise<Response> {
    await this.#closed();
    return this.drop();
  }

  /** Waits, but no longer than the socket is open. */
  async wait(milliseconds: number): Promise<void> {
    if (milliseconds === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const elapsed = new Promise<void>((resolve) => timer = setTimeout(resolve, milliseconds));
    await Promise.race([elapsed, this.#closed()]);
    clearTimeout(timer);
  }

  /** Calls back once the whole answer was given to the system; never if the socket closed before. */
  onHandedOver(callback: () => void): void {
    this.response.once("finish", callback);
  }

  #closed(): Promise<void> {
    if (this.request.socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => this.response.once("close", () => resolve()));
  }
}
