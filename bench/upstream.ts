/**
 * The platform, as fast as it can be: takes every message and gives it an id. Counts what it takes.
 * Usage: upstream.ts PORT LATENCY_MS [CERT_FILE KEY_FILE]
 *
 * `GET /figures` returns {count, first_ms, last_ms, most_in_flight}; `POST /reset` starts afresh, with `?latency_ms=N`.
 * Everything else is a message.
 *
 * @module
 */
import { print } from "../cli/terminal/print.ts";

const [port, initialLatency] = Deno.args.slice(0, 2).map(Number);
const [certFile, keyFile] = Deno.args.slice(2);
const tls = certFile === undefined || keyFile === undefined
  ? {}
  : { cert: await Deno.readTextFile(certFile), key: await Deno.readTextFile(keyFile) };
let latency = initialLatency!;
let count = 0, first = 0, last = 0, inFlight = 0, most = 0;
let arrivals: Record<string, number> = {};

/** Messages to numbers that start with this are timed one by one. */
const TIMED = "+999";

async function take(request: Request): Promise<Response> {
  most = Math.max(most, ++inFlight);
  const now = Date.now();
  if (count++ === 0) first = now;
  last = now;
  const { to } = await request.json();
  if (String(to).startsWith(TIMED)) arrivals[to] = now;
  if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
  inFlight--;
  return Response.json({ messaging_product: "whatsapp", messages: [{ id: `wamid.${port}.${count}` }] });
}

Deno.serve(
  { hostname: "127.0.0.1", port: port!, onListen: () => print("ready"), ...tls },
  (request) => {
    if (request.url.endsWith("/figures")) {
      return Response.json({ count, first_ms: first, last_ms: last, most_in_flight: most, arrivals });
    }
    const reset = URL.parse(request.url);
    if (reset?.pathname === "/reset") {
      latency = Number(reset.searchParams.get("latency_ms") ?? latency);
      count =
        first =
        last =
        most =
          0;
      arrivals = {};
      return new Response();
    }
    return take(request);
  },
);
