import { withProxy } from "../dispatching/proxy.ts";
import { readMessageTypes } from "./message_types.ts";

/** Counts of what went between the service and its database. */
export interface Traffic {
  /** How often the service had to wait for the database: an answer to the end, or the description of a statement. */
  trips: number;
  /** How many statements the database was given to parse: none, once they are prepared. */
  parses: number;
}

export interface TrafficCounter {
  /** The database's URL, by way of the counter. */
  url: string;
  /** Since the beginning. */
  total(): Traffic;
  /** During `work`. */
  during(work: () => Promise<unknown>): Promise<Traffic>;
}

/**
 * Calls `fn` with a way to a database on which all traffic is counted: also that of transactions, of the driver's own
 * look-ups and of statements that are prepared anew. Opening a connection is not counted.
 *
 * Each `ReadyForQuery` ends one round trip; a `Flush` is one more, as the client wants an answer before it goes on.
 */
export async function withTrafficCounter(
  databaseUrl: string,
  fn: (counter: TrafficCounter) => Promise<void>,
): Promise<void> {
  const total: Traffic = { trips: 0, parses: 0 };
  const url = new URL(databaseUrl);
  const watch = () => {
    let open = false;
    return {
      fromClient: readMessageTypes({
        startsUntyped: true,
        onMessage(type) {
          if (type === "P") total.parses++;
          if (type === "H") total.trips++;
        },
      }),
      fromServer: readMessageTypes({
        startsUntyped: false,
        onMessage(type) {
          if (type !== "Z") return;
          if (open) total.trips++;
          open = true;
        },
      }),
    };
  };
  await withProxy(Number(url.port), async (proxy) => {
    url.port = String(proxy.port);
    await fn({
      url: url.href,
      total: () => ({ ...total }),
      async during(work) {
        const before = { ...total };
        await work();
        return { trips: total.trips - before.trips, parses: total.parses - before.parses };
      },
    });
  }, watch);
}
