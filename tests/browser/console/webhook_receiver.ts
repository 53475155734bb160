import { closeServer } from "../../setup/http/close_server.ts";

/** A company's server, which refuses events until `accept` is called. */
export interface WebhookReceiver extends AsyncDisposable {
  url: string;
  /** The `webhook-id` of each event that it accepted. */
  accepted: string[];
  accept(): void;
}

/** Starts one on this machine. It responds 503, and says why. */
export function startReceiver(): WebhookReceiver {
  let isUp = false;
  const accepted: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    await request.body?.cancel();
    if (!isUp) return new Response("the order database is down", { status: 503 });
    accepted.push(request.headers.get("webhook-id")!);
    return new Response("thanks");
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/events`,
    accepted,
    accept: () => isUp = true,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}
