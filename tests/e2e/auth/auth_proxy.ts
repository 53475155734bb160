import { closeServer } from "../../setup/http/close_server.ts";

/** Stands between the service and the auth server, as a gateway does, and records the requests. */
export interface AuthProxy {
  /** For SUPABASE_URL. */
  url: string;
  /** Where requests go, unless `respond` returns a response. */
  target: string;
  respond: ((request: Request) => Response | undefined) | undefined;
  /** The requests that came, oldest first. */
  seen: { path: string; headers: Headers }[];
}

/** Calls `fn` with a proxy whose target is to be set. */
export async function withAuthProxy(fn: (proxy: AuthProxy) => Promise<void>): Promise<void> {
  const proxy: AuthProxy = { url: "", target: "", respond: undefined, seen: [] };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    proxy.seen.push({ path: pathname, headers: request.headers });
    const response = proxy.respond?.(request);
    if (response) return response;
    const { method, headers } = request;
    const body = request.body ? await request.arrayBuffer() : null;
    return await fetch(`${proxy.target}${pathname}${search}`, { method, headers, body });
  });
  proxy.url = `http://127.0.0.1:${server.addr.port}`;
  try {
    await fn(proxy);
  } finally {
    await closeServer(server);
  }
}
