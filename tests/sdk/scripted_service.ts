import { closeServer } from "../setup/http/close_server.ts";

/** A service that responds as the test says, request by request. */
export interface ScriptedService {
  baseUrl: string;
  /** The requests that came, oldest first. */
  seen: SeenRequest[];
}

/** A request with its body, and when it came. */
export interface SeenRequest {
  method: string;
  path: string;
  headers: Headers;
  body: string;
  at: number;
}

/** One response: a `Response`, or what to do to the connection instead. */
export type Step = ((request: SeenRequest) => Response | Promise<Response>) | "cut" | "silence";

/** Calls `fn` with a service that takes the steps in turn; the last one repeats. */
export async function withScriptedService(
  steps: Step[],
  fn: (service: ScriptedService) => Promise<void>,
): Promise<void> {
  const seen: ScriptedService["seen"] = [];
  const silent = Promise.withResolvers<Response>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { method, headers, url } = request;
    const { pathname, search } = new URL(url);
    const body = await request.text();
    const asked = { method, path: pathname + search, headers, body, at: performance.now() };
    seen.push(asked);
    const step = steps[Math.min(seen.length, steps.length) - 1]!;
    if (step === "silence") return await silent.promise;
    return step === "cut" ? cutOff() : await step(asked);
  });
  try {
    await fn({ baseUrl: `http://127.0.0.1:${server.addr.port}`, seen });
  } finally {
    silent.resolve(new Response());
    await closeServer(server);
  }
}

/** Breaks off in the middle of the body. */
export function cutOff(): Response {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("{"));
      controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/json", "Content-Length": "100" } });
}

/** A refusal in the service's form. */
export function refusal(status: number, code: string, headers: Record<string, string> = {}): () => Response {
  return () =>
    Response.json({ error: code, message: `It is ${code}`, request_id: "req_1" }, {
      status,
      headers: { "X-Request-Id": "req_1", ...headers },
    });
}

/** A JSON body with status 200. */
export function success(body: unknown): () => Response {
  return () => Response.json(body);
}

/** A stream that ends after these events. */
export function stream(...events: string[]): Step {
  return () => new Response(events.join(""), { headers: { "Content-Type": "text/event-stream" } });
}

/** An event of a stream. */
export function event(type: string, data: object, id?: number): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n${id === undefined ? "" : `id: ${id}\n`}\n`;
}
