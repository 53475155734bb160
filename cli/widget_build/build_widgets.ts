import { join } from "node:path";
import { bundleFile } from "../browser_build/bundle.ts";
import { integrityOf, type Manifest, refuseHeavy } from "../browser_build/manifest.ts";
import { findPackages, thirdPartyNotices } from "../browser_build/packages.ts";
import { fillPage, hashedPath, openSite } from "../browser_build/site.ts";
import { type BuildTarget, headersFile, pagePolicy } from "./headers.ts";
import { BUNDLED, COPIED, LIMITS, PAGES } from "./parts.ts";

export interface BuildOptions extends BuildTarget {
  /** The root of the repository. */
  root: string;
  /** The folder for the files. */
  out: string;
}

/** The placeholder for the API's base URL in the sources. */
const API_URL = "__OUTBOUND_API_URL__";

/** The placeholder for the content of `loader/style.css` in the loader. */
const LOADER_CSS = "__OUTBOUND_LOADER_CSS__";

/**
 * Builds the static files of the widget host: `loader.js` and the pages under their own names, everything they load under
 * names with a hash in `assets/`, `manifest.json` with every file's address, integrity and weight, `_headers` for hosts
 * that read it, and the licences of the packages in them.
 *
 * @throws {CommandError} `build_failed` when something cannot be bundled, `too_heavy` above the limits of `parts.ts`
 */
export async function buildWidgets({ root, out, apiUrl, platformUrls }: BuildOptions): Promise<Manifest> {
  const site = await openSite(out);
  const inline: Record<string, string> = {};
  for (const { name, entry, format, isInline } of BUNDLED) {
    const bundled = await bundleFile(root, { entry: join("widget", entry), format });
    const css = JSON.stringify(inline.loader_css ?? "").slice(1, -1);
    const bytes = filled(bundled, { [API_URL]: apiUrl ?? "", [LOADER_CSS]: css });
    if (isInline) {
      inline[name] = new TextDecoder().decode(bytes).trim();
      continue;
    }
    const kind = entry.endsWith(".css") ? "css" : "js";
    await site.write(name, name === "loader" ? "loader.js" : await hashedPath(name, kind, bytes), bytes);
  }
  const scripts = BUNDLED.filter(({ entry }) => entry.endsWith(".ts")).map(({ entry }) =>
    join("widget", entry)
  );
  const packages = await findPackages(root, { scripts, copied: COPIED });
  for (const { name, package: from, path } of COPIED) {
    const bytes = await Deno.readFile(join(packages.folderOf(from), path));
    await site.write(name, await hashedPath(name, "js", bytes), bytes);
  }
  for (const [name, source] of Object.entries(PAGES)) {
    const text = await Deno.readTextFile(join(root, "widget", source));
    const { page: whole, hashes } = await withInlineScripts(text, inline);
    const texts = { policy: pagePolicy(name, { apiUrl, platformUrls }, hashes) };
    const page = fillPage(whole, { name, files: site.files, texts });
    await site.write(name, name, filled(new TextEncoder().encode(page), { [API_URL]: apiUrl ?? "" }));
  }
  refuseHeavy(site.files, LIMITS);
  const manifest = { api_url: apiUrl ?? null, files: site.files };
  await site.writeText("THIRD_PARTY_NOTICES.txt", await thirdPartyNotices(packages));
  await site.writeText("_headers", headersFile({ apiUrl, platformUrls }));
  await site.writeText("manifest.json", `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/** Puts the inline scripts that a page names into it. Returns their hashes, for the page's policy. */
async function withInlineScripts(
  page: string,
  inline: Record<string, string>,
): Promise<{ page: string; hashes: string[] }> {
  const hashes: string[] = [];
  for (const [name, script] of Object.entries(inline)) {
    const named = ` {{${name}}}>`;
    if (!page.includes(named)) continue;
    page = page.replace(named, () => `>${script}`);
    hashes.push(await integrityOf(new TextEncoder().encode(script)));
  }
  return { page, hashes };
}

/** Replaces placeholders by their values. */
function filled(bytes: Uint8Array<ArrayBuffer>, values: Record<string, string>): Uint8Array<ArrayBuffer> {
  const text = new TextDecoder().decode(bytes);
  const names = Object.keys(values).filter((name) => text.includes(name));
  if (names.length === 0) return bytes;
  return new TextEncoder().encode(
    names.reduce((all, name) => all.replaceAll(name, () => values[name]!), text),
  );
}
