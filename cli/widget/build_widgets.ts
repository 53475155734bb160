import { join } from "node:path";
import { bundlePart } from "./bundle_part.ts";
import { findPackages } from "./find_packages.ts";
import { fillPage } from "./fill_page.ts";
import { type BuildTarget, headersFile } from "./headers.ts";
import { integrityOf } from "./integrity_of.ts";
import { type BuiltFile, type Manifest, weigh } from "./manifest.ts";
import { BUNDLED, COPIED, PAGES } from "./parts.ts";
import { refuseHeavy } from "./refuse_heavy.ts";
import { thirdPartyNotices } from "./third_party_notices.ts";

export interface BuildOptions extends BuildTarget {
  /** The root of the repository. */
  root: string;
  /** Where the files go; made when it is not there. Assets of earlier builds stay, for browsers that keep old pages. */
  out: string;
}

/** Stands in the sources where the API's base URL goes. */
const API_URL = "__OUTBOUND_API_URL__";

/**
 * Makes the static files of the widget host: `loader.js` and the pages under their own names, everything they load under
 * names with a hash in `assets/`, `manifest.json` with every file's address, integrity and weight, `_headers` for hosts
 * that read it, and the licences of what is not ours.
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
