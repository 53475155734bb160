import { join } from "node:path";
import { within } from "../../cli/service/stopping.ts";
import type { KeptBuild } from "./kept_build.ts";

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  webmanifest: "application/manifest+json",
};

/** The paths of built files; a host serves nothing else in or above the folder. */
const BUILT = /^\/(?:assets\/)?[\w-]+(?:\.[\w-]+)*\.(css|html|js|json|svg|txt|webmanifest)$/;

/** The longest wait of a request for the first build. */
const BUILD_TIMEOUT_MS = 20_000;

/** Serves one file of the build, as a static host would, compressed; undefined for paths that no build has. */
export async function serveBuiltFile(
  build: KeptBuild,
  { pathname, acceptsGzip }: { pathname: string; acceptsGzip: boolean },
  headersFor: (path: string) => Record<string, string>,
): Promise<Response | undefined> {
  const path = pathname === "/" ? "/index.html" : pathname;
  const kind = BUILT.exec(path)?.[1];
  if (kind === undefined) return undefined;
  const building = build.folder({ isFresh: kind === "html" });
  if (!await within(BUILD_TIMEOUT_MS, building).catch(() => false)) return notBuilt();
  const file = await Deno.open(join(await building, path)).catch(() => undefined);
  if (!file) return undefined;
  const headers = { ...headersFor(path), "Content-Type": TYPES[kind]!, "Vary": "Accept-Encoding" };
  if (!acceptsGzip) return new Response(file.readable, { headers });
  const body = file.readable.pipeThrough(new CompressionStream("gzip"));
  return new Response(body, { headers: { ...headers, "Content-Encoding": "gzip" } });
}

function notBuilt(): Response {
  return new Response("This is not built; the log of the start says why if it cannot be.\n", {
    status: 503,
    headers: { "Content-Type": TYPES.txt!, "Retry-After": "5", "Access-Control-Allow-Origin": "*" },
  });
}
