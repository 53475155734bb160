import type { PGlite } from "@electric-sql/pglite";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { Session } from "./session.ts";

export interface ServePgliteOptions extends Partial<ConnectionOptions> {
  /** 0 takes a free one. */
  port: number;
  /** Called, perhaps more than once, when the database itself breaks; it answers nobody after that. */
  onBroken?: (error: unknown) => void;
}

export interface PgliteServer {
  port: number;
  session: Session;
  /** Takes no new connections and ends those there are; what was running in them is rolled back. */
  close(): Promise<void>;
}

/**
 * Lets any number of Postgres clients use one PGlite, on 127.0.0.1.
 *
 * Statements, transactions and notifications are kept apart; what belongs to a session in Postgres is shared by all
 * clients: settings made with SET outside a transaction, temporary tables, session-level advisory locks. COPY FROM
 * STDIN is not possible.
 *
 * @throws Deno.errors.AddrInUse when the port is taken
 */
export function servePglite(database: PGlite, options: ServePgliteOptions): PgliteServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: options.port });
  const serving = new Map<Connection, Promise<void>>();
  const session = new Session(database, (message) => {
    for (const connection of serving.keys()) connection.notify(message);
  });
  const accepting = accept(listener, (socket) => {
    const connection = new Connection(socket, session, { idleInTransactionMs: 60_000, ...options });
    const served = connection.serve()
      .catch((error) => options.onBroken?.(error))
      .finally(() => serving.delete(connection));
    serving.set(connection, served);
  });
  return {
    port: listener.addr.port,
    session,
    close: async () => {
      listener.close();
      await accepting;
      for (const connection of serving.keys()) connection.close();
      await Promise.all(serving.values());
    },
  };
}

async function accept(listener: Deno.TcpListener, handle: (socket: Deno.TcpConn) => void): Promise<void> {
  try {
    for await (const socket of listener) {
      socket.setNoDelay(true);
      handle(socket);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
