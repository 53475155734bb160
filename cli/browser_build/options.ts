import { parseArgs, type ParseArgsConfig } from "node:util";
import { withoutEndSlashes } from "../../supabase/functions/_shared/values/urls.ts";
import { CommandError } from "../errors/command_error.ts";

/** Reads the options of a build. Throws a usage error for what it does not know. */
export function parseBuildOptions<T extends NonNullable<ParseArgsConfig["options"]>>(
  args: string[],
  options: T,
) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new CommandError("usage", `${(error as Error).message.split(".")[0]}. Try --help`);
  }
}

/** Checks a URL that goes into scripts and pages unescaped: it may hold no character with a meaning there. */
export function checkApiUrl(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const url = URL.parse(value);
  if (url && /^https?:$/.test(url.protocol) && /^[\w.:/~-]+$/.test(value)) return withoutEndSlashes(value);
  throw new CommandError(
    "usage",
    "--api-url must be a URL such as https://api.example.com/functions/v1. Try --help",
  );
}

/** Checks a URL of which only the host goes into a page. */
export function checkPlatformUrl(value: string): string {
  const url = URL.parse(value);
  if (url && /^(https?|wss?):$/.test(url.protocol) && /^[\w.:[\]-]+$/.test(url.host)) return url.href;
  throw new CommandError(
    "usage",
    "--platform-url must be a URL such as wss://media.example.com. Try --help",
  );
}

/** Returns the origins of a platform's server: its clients use HTTP as well as WebSocket. */
export function bothSchemes(url: string): string[] {
  const { protocol, host } = new URL(url);
  const isSecure = protocol === "https:" || protocol === "wss:";
  return isSecure ? [`https://${host}`, `wss://${host}`] : [`http://${host}`, `ws://${host}`];
}

/** Lists the files of a build with their weights, for a person. */
export function describeBuild(
  files: Record<string, { url: string; gzip_bytes: number }>,
  out: string,
): string {
  const width = Math.max(...Object.values(files).map(({ url }) => url.length));
  const lines = Object.values(files).map(({ url, gzip_bytes }) =>
    `  ${url.padEnd(width)}  ${(gzip_bytes / 1024).toFixed(1).padStart(7)} KiB gzip`
  );
  return [`Built into ${out}`, ...lines].join("\n");
}
