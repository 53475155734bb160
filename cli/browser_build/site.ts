import { join } from "node:path";
import { CommandError } from "../errors/command_error.ts";
import { type BuiltFile, integrityOf, weigh } from "./manifest.ts";

/** A folder of static files that is being written. */
export interface Site {
  /** The written files, by name. */
  files: Record<string, BuiltFile>;
  /** Writes a file under its path, and records it under its name. */
  write(name: string, path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Writes a file that the manifest does not name. */
  writeText(path: string, text: string): Promise<void>;
}

/** Opens a folder for a site, created if missing. Assets of earlier builds stay, for browsers that keep old pages. */
export async function openSite(out: string): Promise<Site> {
  await Deno.mkdir(join(out, "assets"), { recursive: true });
  const files: Site["files"] = {};
  return {
    files,
    async write(name, path, bytes) {
      await Deno.writeFile(join(out, path), bytes);
      files[name] = { url: path, integrity: await integrityOf(bytes), ...await weigh(bytes) };
    },
    writeText: (path, text) => Deno.writeTextFile(join(out, path), text),
  };
}

/** Returns the path of an asset, whose name changes with its content. */
export async function hashedPath(
  name: string,
  kind: "css" | "js",
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `assets/${name.replaceAll("_", "-")}-${digest.toHex().slice(0, 12)}.${kind}`;
}

/**
 * Fills in a page: `{{name}}` becomes one of `texts`, or the address and the integrity of a file, as attributes of a
 * script or a link.
 *
 * @throws {CommandError} `build_failed` when the page names a file that is not built
 */
export function fillPage(
  page: string,
  { name, files, texts }: { name: string; files: Site["files"]; texts: Record<string, string> },
): string {
  return page.replaceAll(/\{\{ ?(\w+) ?\}\}/g, (_, part: string) => {
    if (texts[part] !== undefined) return texts[part];
    const file = files[part];
    if (!file) throw new CommandError("build_failed", `${name} names ${part}, which is not in the build`);
    return loadAttributes(file);
  });
}

/** The attributes that make a page load a file, and check it. */
export function loadAttributes(
  { url, integrity }: BuiltFile,
  address = url.endsWith(".css") ? "href" : "src",
): string {
  return `${address}="${url}" integrity="${integrity}" crossorigin="anonymous"`;
}

/** The header rules of one path. */
export interface HeaderRule {
  /** As static hosts match it: `/assets/*`. */
  path: string;
  headers: Record<string, string>;
}

/** Returns rules as a `_headers` file, for static hosts that read it. */
export function headersText(rules: HeaderRule[]): string {
  return rules.map(({ path, headers }) =>
    `${path}\n${Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`).join("")}`
  ).join("\n");
}

const YEAR_S = 365 * 86_400;

/** How long a browser may keep what keeps its name: changes are out within minutes. */
const SHORT_S = 300;

/** Returns how long a file of a site may be kept. */
export function cacheControl(path: string): string {
  return path.startsWith("/assets/") ? `public, max-age=${YEAR_S}, immutable` : `public, max-age=${SHORT_S}`;
}
