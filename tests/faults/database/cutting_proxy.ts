/** How many bytes of one connection go through before it is cut, each way. */
export interface Cut {
  /** From the client to the server. */
  up: number;
  down: number;
}

/**
 * Passes connections on, and cuts them half-way, or keeps them without a word as a network does that has lost its way, or
 * keeps back what is sent over them as a machine does that is suspended.
 */
export interface CuttingProxy {
  port: number;
  /** How many connections it has cut. */
  cuts(): number;
  /** From now on everything passes. */
  calmDown(): void;
  /**
   * Keeps back what is sent from now on, over the connections that are open or over all. It passes with `goOn`, as the
   * kernel of a suspended machine receives and the machine then reads.
   */
  standStill(which: "open" | "all"): void;
  goOn(): void;
  /** Ends the connections that are open. */
  disconnect(): void;
  /** Ends them too, and refuses others from now on. */
  close(): Promise<void>;
}

/**
 * Listens on a free port of this machine for what is meant for `target`.
 *
 * @param choose decides for each connection where it is cut, or that it is kept and nothing of it passed on
 */
export function startCuttingProxy(target: number, choose: () => Cut | "silent"): CuttingProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  let cuts = 0;
  let calm = false;
  let isStill = (_: Deno.Conn) => false;
  let goingOn = Promise.withResolvers<void>();

  async function pass(from: Deno.Conn, to: Deno.Conn, most: number): Promise<"ended" | "cut"> {
    const buffer = new Uint8Array(16_384);
    for (let left = most;;) {
      const count = await from.read(buffer);
      if (isStill(from)) await goingOn.promise;
      if (count === null) return "ended";
      const allowed = calm ? count : Math.min(count, left);
      for (let at = 0; at < allowed;) at += await to.write(buffer.subarray(at, allowed));
      if (allowed < count) return "cut";
      left -= allowed;
    }
  }

  async function serve(client: Deno.Conn): Promise<void> {
    const ends = [client];
    open.add(client);
    const cut = choose();
    if (cut === "silent") return;
    try {
      const server = await Deno.connect({ hostname: "127.0.0.1", port: target });
      ends.push(server);
      open.add(server);
      const how = await Promise.race([pass(client, server, cut.up), pass(server, client, cut.down)]);
      if (how === "cut") cuts++;
    } catch {
      // One of the ends is gone: so is the other, in a moment.
    } finally {
      ends.forEach(close);
    }
  }

  function close(end: Deno.Conn): void {
    if (!open.delete(end)) return;
    end.close();
  }

  function disconnect(): void {
    open.forEach(close);
  }

  const accepting = (async () => {
    for await (const client of listener) void serve(client);
  })();
  return {
    port: listener.addr.port,
    cuts: () => cuts,
    calmDown: () => void (calm = true),
    standStill(which) {
      const ends = new Set(open);
      goingOn = Promise.withResolvers();
      isStill = (end) => which === "all" || ends.has(end);
    },
    goOn() {
      isStill = () => false;
      goingOn.resolve();
    },
    disconnect,
    close() {
      listener.close();
      return accepting.then(disconnect);
    },
  };
}
