import { join } from "node:path";
import { within } from "../../cli/service/within.ts";
import { type BuildTarget, headersFor, pagePolicy } from "../../cli/widget/headers.ts";
import type { KeptBuild } from "./keep_build.ts";

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
  txt: "text/plain; charset=utf-8",
};

/** What a build makes, and nothing else in the folder or above it. */
const BUILT = /^\/(?:assets\/)?[\w-]+\.(css|html|js|json|txt)$/;

/** How long a request may wait for the first build. */
const PATIENCE_MS = 20_000;

/** Serves one file of the build, as a static host would; undefined for paths that no build has. */
export async function serveBuiltFile(
  build: KeptBuild,
  path: string,
  target: BuildTarget,
): Promise<Response | undefined> {
  const kind = BUILT.exec(path)?.[1];
  if (kind === undefined) return undefined;
  const building = build.folder();
  if (!await within(PATIENCE_MS, building).catch(() => false)) return notBuilt();
  const folder = await building;
  const file = await Deno.open(join(folder, path)).catch(() => undefined);
  if (!file) return undefined;
  const policy = kind === "html" && { "Content-Security-Policy": pagePolicy(path.slice(1), target) };
  return new Response(file.readable, {
    headers: { ...headersFor(path), "Content-Type": TYPES[kind]!, ...policy },
  });
}

function notBuilt(): Response {
  return new Response("The widgets are not built; the log of the start says why if they cannot be.\n", {
    status: 503,
    headers: { "Content-Type": TYPES.txt!, "Retry-After": "5", "Access-Control-Allow-Origin": "*" },
  });
}
