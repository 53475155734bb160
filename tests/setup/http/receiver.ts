import { closeServer } from "./close_server.ts";

/** One request as a company's server got it. */
export interface ReceivedEvent {
  headers: Headers;
  /** The body to the letter. */
  text: string;
}

export interface EventReceiver {
  url: string;
  received: ReceivedEvent[];
}

/** Runs `use` with a company's server on a free port; it accepts every event unless `answer` says otherwise. */
export async function withReceiver(
  use: (receiver: EventReceiver) => Promise<void>,
  answer: (event: ReceivedEvent, count: number) => Response | Promise<Response> = () => new Response("ok"),
): Promise<void> {
  const received: ReceivedEvent[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const event = { headers: request.headers, text: await request.text() };
    received.push(event);
    return await answer(event, received.length);
  });
  try {
    await use({ url: `http://127.0.0.1:${server.addr.port}/events`, received });
  } finally {
    await closeServer(server);
  }
}
