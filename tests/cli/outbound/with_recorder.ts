import { closeServer } from "../../setup/http/close_server.ts";

/** A request as it arrived. */
export interface Arrived {
  method: string;
  path: string;
  authorization: string | null;
  type: string | null;
  bytes: Uint8Array<ArrayBuffer>;
  text: string;
  headers: Headers;
}

/** Calls `fn` with the address of a service that responds with `response`, and what arrived there. */
export async function withRecorder(
  fn: (baseUrl: string, arrived: Arrived[]) => Promise<void>,
  response: object = {},
): Promise<void> {
  const arrived: Arrived[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { method, headers, url } = request;
    const [path, bytes] = [new URL(url).pathname, await request.bytes()];
    const [authorization, type] = [headers.get("Authorization"), headers.get("Content-Type")];
    arrived.push({
      method,
      path,
      authorization,
      type,
      bytes,
      text: new TextDecoder().decode(bytes),
      headers,
    });
    return Response.json(response, { headers: { ETag: '"seven"' } });
  });
  try {
    await fn(`http://127.0.0.1:${server.addr.port}`, arrived);
  } finally {
    await closeServer(server);
  }
}
