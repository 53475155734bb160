import { bothSchemes } from "../browser_build/options.ts";
import { cacheControl, headersText } from "../browser_build/site.ts";
import { PAGES } from "./parts.ts";

/** The servers that a build is for. */
export interface BuildTarget {
  /** The API's base URL; undefined for a build for any API. */
  apiUrl: string | undefined;
  /** Hosts of sessions and rooms besides ElevenLabs' and LiveKit Cloud's own. */
  platformUrls: string[];
}

/** Each region and residency has its own host. */
const PLATFORM_DOMAINS = ["*.elevenlabs.io", "*.livekit.cloud"];

/** The rules of each page beyond those of all pages; see `pagePolicy`. */
const EXTRAS: Record<string, (target: BuildTarget) => string[]> = {
  "theme.html": apiOnly,
  "chat.html": apiOnly,
  "voice.html": (target) => [
    `connect-src ${voiceHosts(target).join(" ")}`,
  ],
};

function apiOnly(target: BuildTarget): string[] {
  return [`connect-src ${apiOf(target)}`, "require-trusted-types-for 'script'"];
}

function apiOf({ apiUrl }: BuildTarget): string {
  return apiUrl === undefined ? "https: http:" : new URL(apiUrl).origin;
}

/** A page for one API connects to that API and to the platforms, whatever a link to the page says. */
function voiceHosts({ apiUrl, platformUrls }: BuildTarget): string[] {
  if (apiUrl === undefined) return ["https:", "http:", "wss:", "ws:"];
  const platforms = PLATFORM_DOMAINS.flatMap((domain) => [`https://${domain}`, `wss://${domain}`]);
  return ["'self'", new URL(apiUrl).origin, ...platforms, ...platformUrls.flatMap(bothSchemes)];
}

/** The images of each page besides its own and logos, which are part of a configuration. */
const IMAGES: Record<string, (target: BuildTarget) => string> = {
  // Those of messages come from the API by a link; those of cards and of writers from where the company has them.
  "chat.html": (target) => ` https: ${apiOf(target)}`,
};

/** The scripts of each page besides its own files. */
const SCRIPTS: Record<string, string> = {
  // The resampler of browsers that record at their own rate only is WebAssembly.
  "voice.html": " 'wasm-unsafe-eval'",
};

/**
 * Returns the Content-Security-Policy of a page: its own files, the API, for voice the platforms, and nothing else. It is in
 * the page itself, so that it holds on every host.
 *
 * @param inline the hashes of the scripts that stand in the page; such a page has no others
 */
export function pagePolicy(page: string, target: BuildTarget, inline: string[]): string {
  const scripts = inline.length > 0 ? inline.map((hash) => `'${hash}'`).join(" ") : "'self'";
  return [
    "default-src 'none'",
    `script-src ${scripts}${SCRIPTS[page] ?? ""}`,
    "style-src 'self'",
    `img-src 'self' data:${IMAGES[page]?.(target) ?? ""}`,
    "base-uri 'none'",
    "form-action 'none'",
    ...EXTRAS[page]?.(target) ?? [],
  ].join("; ");
}

/** Pages whose policy stands in the page alone, because it has the hash of the page's script. */
const OWN_POLICY = new Set(["theme.html"]);

/** Returns the headers that a file of the widget host is served with. */
export function headersFor(path: string, target: BuildTarget): Record<string, string> {
  const page = path.slice(1);
  return {
    ...(page in PAGES && !OWN_POLICY.has(page) && {
      "Content-Security-Policy": pagePolicy(page, target, []),
    }),
    "Cache-Control": cacheControl(path),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    // Pages of other origins load the loader, and check the integrity of what it names.
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
  };
}

/** Returns the same as a `_headers` file, for static hosts that read it, with each page's policy. */
export function headersFile(target: BuildTarget): string {
  const pages = Object.keys(PAGES).map((page) => `/${page}`);
  return headersText(
    ["/assets/*", "/loader.js", "/manifest.json", ...pages].map((path) => ({
      path,
      headers: headersFor(path, target),
    })),
  );
}
