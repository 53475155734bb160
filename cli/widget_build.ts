import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { checkApiUrl, checkPlatformUrl, describeBuild, parseBuildOptions } from "./browser_build/options.ts";
import { exitCodeOf } from "./terminal/command_line.ts";
import { print, printJson } from "./terminal/print.ts";
import { buildWidgets } from "./widget_build/build_widgets.ts";

const HELP = `Usage: deno task widget:build [--out DIR] [--api-url URL] [--platform-url URL]... [--json]

Builds the static files of the widgets, for any web host: loader.js, the chat and the voice interface, their assets under
names with a hash, manifest.json, and _headers for hosts that read it. Fails when the files are too large.

  --out DIR      where the files go (default dist/widget); assets of earlier builds stay there
  --api-url URL  the API's base URL, ending in /functions/v1; without it every page gives it as data-api
  --platform-url URL
                 with --api-url: a host that the voice page may connect to besides ElevenLabs and LiveKit Cloud, such as
                 your own LiveKit server; repeatable
  --json         print manifest.json
  --help         print this text

Examples:
  deno task widget:build --api-url https://api.example.com/functions/v1
  deno task widget:build --api-url https://api.example.com/functions/v1 --out /srv/widgets
  deno task widget:build --api-url https://api.example.com/functions/v1 --platform-url wss://media.example.com`;

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");

/** Runs the command `deno task widget:build` and returns its exit code. */
async function widgetBuild(args: string[]): Promise<number> {
  const { out, apiUrl, platformUrls, json, help } = readOptions(args);
  if (help) {
    print(HELP);
    return 0;
  }
  const manifest = await buildWidgets({ root: ROOT, out, apiUrl, platformUrls });
  if (json) printJson(manifest);
  else print(describeBuild(manifest.files, out));
  return 0;
}

function readOptions(args: string[]) {
  const values = parseBuildOptions(args, {
    out: { type: "string", default: join(ROOT, "dist", "widget") },
    "api-url": { type: "string" },
    "platform-url": { type: "string", multiple: true },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  });
  return {
    out: resolve(values.out),
    apiUrl: checkApiUrl(values["api-url"]),
    platformUrls: (values["platform-url"] ?? []).map(checkPlatformUrl),
    json: values.json,
    help: values.help,
  };
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => widgetBuild(Deno.args)));
