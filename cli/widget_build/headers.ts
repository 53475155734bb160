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
  // Images of messages come from the API by a link, and those of cards from where the company has them.
  "chat.html": (target) => [...apiOnly(target), `img-src 'self' https: ${apiOf(target)}`],
  "voice.html": (target) => [
    // The resampler of browsers that record at their own rate only is WebAssembly.
    "script-src 'self' 'wasm-unsafe-eval'",
    `connect-src ${voiceHosts(target).join(" ")}`,
  ],
};

function apiOnly(target: BuildTarget): string[] {
  return ["script-src 'self'", `connect-src ${apiOf(target)}`, "require-trusted-types-for 'script'"];
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

/**
 * Returns the Content-Security-Policy of a page: its own files, the API, for voice the platforms, and nothing else. It is in
 * the page itself, so that it holds on every host.
 */
export function pagePolicy(page: string, target: BuildTarget): string {
  const extras = EXTRAS[page]?.(target) ?? [];
  return [
    "default-src 'none'",
    "style-src 'self'",
    // A browser takes the first of two rules for the same. Pictures of those who write are wherever a company has them.
    ...(extras.some((rule) => rule.startsWith("img-src ")) ? [] : ["img-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'",
    ...extras,
  ].join("; ");
}

/** Returns the headers that a file of the widget host is served with. */
export function headersFor(path: string): Record<string, string> {
  return {
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
  const rules = [
    ...["/assets/*", "/loader.js", "/manifest.json"].map((path) => ({ path, policy: undefined })),
    ...pages.map((path) => ({ path, policy: pagePolicy(path.slice(1), target) })),
  ];
  return headersText(rules.map(({ path, policy }) => ({
    path,
    headers: { ...headersFor(path), ...(policy && { "Content-Security-Policy": policy }) },
  })));
}
