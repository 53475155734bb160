import type { PGlite } from "@electric-sql/pglite";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { Session } from "./session.ts";

export interface ServePgliteOptions extends Partial<ConnectionOptions> {
  /** 0 = any free port. */
  port: number;
  /** Called, perhaps more than once, when the database itself breaks; it serves no client after that. */
  onBroken?: (error: unknown) => void;
}

export interface PgliteServer {
  port: number;
  session: Session;
  /** Accepts no new connections and ends the open ones; their open transactions are rolled back. */
  close(): Promise<void>;
}

/**
 * Lets any number of Postgres clients use one PGlite, on 127.0.0.1. Not `@electric-sql/pglite-socket` (0.2.17): its
 * queue lets another client in between Parse and Execute. Statements, transactions and notifications are separate.
 * Clients share what belongs to a session in Postgres: settings made with SET outside a transaction, temporary tables,
 * session-level advisory locks. COPY FROM STDIN is not possible.
 *
 * @throws Deno.errors.AddrInUse when the port is in use
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

/**
 * postgresql.conf of the embedded database: small, as it shares a laptop with everything else. PGlite is one process
 * without helpers, so the settings of autovacuum, the WAL writer and parallel queries have no effect; `worker.ts`
 * vacuums and checkpoints instead.
 */
export const CONFIG = [
  "shared_buffers = 16MB",
  "max_connections = 5",
  "work_mem = 4MB",
  "maintenance_work_mem = 16MB",
  "max_wal_size = 64MB",
  "min_wal_size = 32MB",
  "jit = off",
  "timezone = 'UTC'",
  "log_timezone = 'UTC'",
];
