import type { Hono } from "hono";
import type { IncomingMessage, ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";

/** The values that hono passes to each route besides the request. */
export interface SandboxEnv {
  Bindings: { connection: Connection };
}

export type SandboxApp = Hono<SandboxEnv>;

/** The socket behind one request, for responses that HTTP alone cannot make. */
export class Connection {
  constructor(private readonly request: IncomingMessage, private readonly response: ServerResponse) {}

  /** Closes the socket. The response it returns is never sent. */
  drop(): Response {
    this.request.socket.destroy();
    return RESPONSE_ALREADY_SENT;
  }

  /** Resolves only when the client or the server closes the socket. */
  async hang(): Promise<Response> {
    await this.#closed();
    return this.drop();
  }

  /** Waits while the socket is open. */
  async wait(milliseconds: number): Promise<void> {
    if (milliseconds === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const elapsed = new Promise<void>((resolve) => timer = setTimeout(resolve, milliseconds));
    await Promise.race([elapsed, this.#closed()]);
    clearTimeout(timer);
  }

  /** Calls back once the system has the whole response; never if the socket closed before. */
  onResponseSent(callback: () => void): void {
    this.response.once("finish", callback);
  }

  #closed(): Promise<void> {
    if (this.request.socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => this.response.once("close", () => resolve()));
  }
}
