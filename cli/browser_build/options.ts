import { parseArgs, type ParseArgsConfig } from "node:util";
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
  if (url && /^https?:$/.test(url.protocol) && /^[\w.:/~-]+$/.test(value)) return value.replace(/\/+$/, "");
  throw new CommandError(
    "usage",
    "--api-url must be a URL such as https://api.example.com/functions/v1. Try --help",
  );
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
