import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { checkApiUrl, checkPlatformUrl, describeBuild, parseBuildOptions } from "./browser_build/options.ts";
import { exitCodeOf } from "./terminal/command_line.ts";
import { buildConsole } from "./console_build/build_console.ts";
import { print, printJson } from "./terminal/print.ts";

const HELP =
  `Usage: deno task console:build [--out DIR] [--api-url URL] [--platform-url URL]... [--sandbox] [--json]

Builds the console as static files for any web host: index.html, its assets under names with a hash, config.json with the
address of the API, manifest.json, and _headers for hosts that read it. Fails when the first load is too large.

  --out DIR      where the files go (default dist/console); assets of earlier builds stay there
  --api-url URL  the API's base URL, ending in /functions/v1; without it, the API is at /functions/v1 of the console's host
  --platform-url URL
                 a LiveKit server, on which members join calls of the voice widget; repeatable
  --sandbox      its messages reach a simulated platform: the page says "Sandbox"
  --json         print manifest.json
  --help         print this text

Set OUTBOUND_CONSOLE_URL of the API to the console's address: its pages, and no others, may call it.

Examples:
  deno task console:build
  deno task console:build --api-url https://api.example.com/functions/v1 --out /srv/console`;

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");

/** Runs the command `deno task console:build` and returns its exit code. */
async function consoleBuild(args: string[]): Promise<number> {
  const values = parseBuildOptions(args, {
    out: { type: "string", default: join(ROOT, "dist", "console") },
    "api-url": { type: "string" },
    "platform-url": { type: "string", multiple: true },
    sandbox: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  });
  if (values.help) {
    print(HELP);
    return 0;
  }
  const out = resolve(values.out);
  const manifest = await buildConsole({
    root: ROOT,
    out,
    apiUrl: checkApiUrl(values["api-url"]),
    platformUrls: (values["platform-url"] ?? []).map(checkPlatformUrl),
    isSandbox: values.sandbox,
  });
  if (values.json) printJson(manifest);
  else print(describeBuild(manifest.files, out));
  return 0;
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => consoleBuild(Deno.args)));
