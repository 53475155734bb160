import { join } from "node:path";
import { bundleFile, bundleSplit, neededChunks } from "../browser_build/bundle.ts";
import { type Manifest, refuseHeavy } from "../browser_build/manifest.ts";
import { findPackages, thirdPartyNotices } from "../browser_build/packages.ts";
import { fillPage, hashedPath, loadAttributes, openSite } from "../browser_build/site.ts";
import { consoleHeadersFile, consolePolicy, type ConsoleTarget } from "./headers.ts";

export interface ConsoleBuild extends ConsoleTarget {
  /** The root of the repository. */
  root: string;
  /** The folder for the files. */
  out: string;
  /** Its messages reach a simulated platform, and the page says so. */
  isSandbox?: boolean;
}

const APP = "console/app/main.tsx";
const WORKER = "console/service_worker/service_worker.ts";

/** Where the API is when nothing else is said: on the console's host. */
const SAME_HOST = "/functions/v1";

/** A language is a file of its own, of which a page loads one. */
const LANGUAGE = /^[a-z]{2}-[A-Z0-9]{8}\.js$/;

/**
 * The page, its style, its language and all that runs before the log-in shows, compressed by gzip. Screens come when they
 * are shown.
 */
const MAX_FIRST_LOAD_BYTES = 90_000;

/**
 * Builds the console: `index.html`, what it loads under names with a hash in `assets/`, `config.json`, `manifest.json`,
 * `_headers`, and the licences of the packages in it.
 *
 * @throws {CommandError} `build_failed` when something cannot be bundled, `too_heavy` when the first load is too large
 */
export async function buildConsole(
  { root, out, apiUrl, platformUrls, isSandbox }: ConsoleBuild,
): Promise<Manifest> {
  const site = await openSite(out);
  const css = await bundleFile(root, { entry: "console/styles/main.css", format: "esm" });
  await site.write("css", await hashedPath("console", "css", css), css);
  const { entry, chunks } = await bundleSplit(root, APP);
  for (const [name, bytes] of chunks) await site.write(name, `assets/${name}`, bytes);
  await site.write("app", await hashedPath("app", "js", entry), entry);

  const languages = [...chunks.keys()].filter((name) => LANGUAGE.test(name));
  const needed = neededChunks([entry, ...languages.map((name) => chunks.get(name)!)], chunks);
  const preloads = needed.map((name) =>
    `<link rel="modulepreload" ${loadAttributes(site.files[name]!, "href")}>`
  ).join("\n    ");
  const page = fillPage(await Deno.readTextFile(join(root, "console", "console.html")), {
    name: "index.html",
    files: site.files,
    texts: { policy: consolePolicy({ apiUrl, platformUrls }), preloads },
  });
  await site.write("index.html", "index.html", new TextEncoder().encode(page));
  await site.write("icon.svg", "icon.svg", await Deno.readFile(join(root, "console", "icon.svg")));
  const worker = await bundleFile(root, { entry: WORKER, format: "iife" });
  await site.write("service_worker.js", "service_worker.js", worker);
  const installed = await Deno.readFile(join(root, "console", "app.webmanifest"));
  await site.write("app.webmanifest", "app.webmanifest", installed);
  refuseHeavy(
    site.files,
    languages.map((language) => ({
      parts: ["index.html", "css", "app", ...needed, language],
      maxBytes: MAX_FIRST_LOAD_BYTES,
    })),
  );

  const manifest = { api_url: apiUrl ?? null, files: site.files };
  const packages = await findPackages(root, { scripts: [APP], copied: [] });
  await site.writeText(
    "config.json",
    `${JSON.stringify({ api_url: apiUrl ?? SAME_HOST, ...(isSandbox && { sandbox: true }) })}\n`,
  );
  await site.writeText("THIRD_PARTY_NOTICES.txt", await thirdPartyNotices(packages));
  await site.writeText("_headers", consoleHeadersFile({ apiUrl, platformUrls }));
  await site.writeText("manifest.json", `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}
