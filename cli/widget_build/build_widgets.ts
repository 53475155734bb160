import { join } from "node:path";
import { CommandError } from "../errors/command_error.ts";
import { bundlePart } from "./bundle.ts";
import { type BuildTarget, headersFile, pagePolicy } from "./headers.ts";
import { type BuiltFile, integrityOf, type Manifest, refuseHeavy, weigh } from "./manifest.ts";
import { findPackages, thirdPartyNotices } from "./packages.ts";
import { BUNDLED, COPIED, PAGES } from "./parts.ts";

export interface BuildOptions extends BuildTarget {
  /** The root of the repository. */
  root: string;
  /** The folder for the files, created if missing. Assets of earlier builds stay, for browsers that keep old pages. */
  out: string;
}

/** The placeholder for the API's base URL in the sources. */
const API_URL = "__OUTBOUND_API_URL__";

/**
 * Builds the static files of the widget host: `loader.js` and the pages under their own names, everything they load under
 * names with a hash in `assets/`, `manifest.json` with every file's address, integrity and weight, `_headers` for hosts
 * that read it, and the licences of the packages in them.
 *
 * @throws {CommandError} `build_failed` when something cannot be bundled, `too_heavy` above the limits of `parts.ts`
 */
export async function buildWidgets({ root, out, apiUrl, platformUrls }: BuildOptions): Promise<Manifest> {
  await Deno.mkdir(join(out, "assets"), { recursive: true });
  const files: Record<string, BuiltFile> = {};
  const write = async (name: string, path: string, bytes: Uint8Array<ArrayBuffer>) => {
    await Deno.writeFile(join(out, path), bytes);
    files[name] = { url: path, integrity: await integrityOf(bytes), ...await weigh(bytes) };
  };

  for (const part of BUNDLED) {
    const bytes = filled(await bundlePart(root, part), apiUrl);
    const kind = part.entry.endsWith(".css") ? "css" : "js";
    await write(
      part.name,
      part.name === "loader" ? "loader.js" : await hashed(part.name, kind, bytes),
      bytes,
    );
  }
  const packages = await findPackages(root, COPIED);
  for (const { name, package: from, path } of COPIED) {
    const bytes = await Deno.readFile(join(packages.folderOf(from), path));
    await write(name, await hashed(name, "js", bytes), bytes);
  }
  for (const [name, source] of Object.entries(PAGES)) {
    const text = await Deno.readTextFile(join(root, "widget", source));
    const page = fillPage(text, { name, files, apiUrl, platformUrls });
    await write(name, name, filled(new TextEncoder().encode(page), apiUrl));
  }
  refuseHeavy(files);
  const manifest = { api_url: apiUrl ?? null, files };
  await Deno.writeTextFile(join(out, "THIRD_PARTY_NOTICES.txt"), await thirdPartyNotices(packages));
  await Deno.writeTextFile(join(out, "_headers"), headersFile({ apiUrl, platformUrls }));
  await Deno.writeTextFile(join(out, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

function filled(bytes: Uint8Array<ArrayBuffer>, apiUrl: string | undefined): Uint8Array<ArrayBuffer> {
  const text = new TextDecoder().decode(bytes);
  return text.includes(API_URL) ? new TextEncoder().encode(text.replaceAll(API_URL, apiUrl ?? "")) : bytes;
}

async function hashed(name: string, kind: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `assets/${name.replaceAll("_", "-")}-${digest.toHex().slice(0, 12)}.${kind}`;
}

interface PageFacts extends BuildTarget {
  name: string;
  files: Record<string, BuiltFile>;
}

/**
 * Fills in a page: `{{policy}}` becomes its Content-Security-Policy, and `{{part}}` the address and the integrity of a part,
 * as attributes of a script or a link.
 *
 * @throws {CommandError} `build_failed` when the page names a part that is not built
 */
function fillPage(page: string, { name, files, ...target }: PageFacts): string {
  return page.replaceAll(/\{\{(\w+)\}\}/g, (_, part: string) => {
    if (part === "policy") return pagePolicy(name, target);
    const file = files[part];
    if (!file) throw new CommandError("build_failed", `${name} names ${part}, which is not in the build`);
    const address = file.url.endsWith(".css") ? "href" : "src";
    return `${address}="${file.url}" integrity="${file.integrity}" crossorigin="anonymous"`;
  });
}
