import { type Fetch, serve } from "../../../local/sandbox/http/serve.ts";

/** One way to treat a request between the service and the platform. */
export type Handling =
  | "pass"
  /** The platform receives it; its response is lost. */
  | "lose_answer"
  /** The connection breaks before the platform gets it. */
  | "lose_request"
  /** The platform receives it; its response is delayed until then, and lost. */
  | { loseAnswerAfter: Promise<void>; onTaken(): void }
  /** The response in place of the platform's. */
  | Response;

/** A stretch of network in front of the platform. */
export interface PlatformFront {
  /** For `WHATSAPP_API_URL`. */
  url: string;
  /** Where requests go; set before the first one. */
  target: string;
  /** Decides on each request; lets all pass by default. */
  handle(request: Request): Handling | Promise<Handling>;
  /** `METHOD /path` of every request, oldest first. */
  seen: string[];
}

/** Runs `use` with a front on a free port. */
export async function withPlatformFront(use: (front: PlatformFront) => Promise<void>): Promise<void> {
  const front: PlatformFront = { url: "", target: "", handle: () => "pass", seen: [] };
  const fetchThrough: Fetch = async (request, { connection }) => {
    const { pathname, search } = new URL(request.url);
    front.seen.push(`${request.method} ${pathname}`);
    const handling = await front.handle(request);
    if (handling instanceof Response) return handling;
    if (handling === "lose_request") return connection.drop();
    const answer = await fetch(new Request(`${front.target}${pathname}${search}`, request));
    const body = await answer.arrayBuffer();
    if (typeof handling === "object") {
      handling.onTaken();
      await handling.loseAnswerAfter;
    }
    if (handling !== "pass") return connection.drop();
    return new Response(body, answer);
  };
  const { url, close } = await serve(0, {
    fetch: fetchThrough,
    onUpgrade: (_, socket) => socket.destroy(),
    isAllowedHost: () => true,
  });
  front.url = url;
  try {
    await use(front);
  } finally {
    await close();
  }
}
