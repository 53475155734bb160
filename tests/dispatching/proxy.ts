/** A way to a server that can be cut and mended. */
export interface Proxy {
  port: number;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  mend(): void;
}

/** Calls `fn` with a proxy on this machine in front of a port of this machine. */
export async function withProxy(targetPort: number, fn: (proxy: Proxy) => Promise<void>): Promise<void> {
  let listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const sockets = new Set<Deno.Conn>();
  const passing: Promise<unknown>[] = [];

  async function pass(client: Deno.Conn): Promise<void> {
    sockets.add(client);
    const server = await Deno.connect({ hostname: "127.0.0.1", port: targetPort });
    sockets.add(server);
    const close = () => [client, server].forEach((socket) => hangUp(sockets, socket));
    await Promise.allSettled([
      client.readable.pipeTo(server.writable).finally(close),
      server.readable.pipeTo(client.writable).finally(close),
    ]);
  }

  async function accept(from: Deno.Listener): Promise<void> {
    for await (const client of from) passing.push(pass(client).catch(() => hangUp(sockets, client)));
  }

  function cut(): void {
    listener.close();
    sockets.forEach((socket) => hangUp(sockets, socket));
  }

  passing.push(accept(listener));
  try {
    await fn({
      port,
      cut,
      mend() {
        listener = Deno.listen({ hostname: "127.0.0.1", port });
        passing.push(accept(listener));
      },
    });
  } finally {
    cut();
    await Promise.allSettled(passing);
  }
}

function hangUp(sockets: Set<Deno.Conn>, socket: Deno.Conn): void {
  if (!sockets.delete(socket)) return;
  try {
    socket.close();
  } catch { /* closed by the other side already */ }
}
