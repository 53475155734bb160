import { PAGES } from "./parts.ts";

const YEAR_S = 365 * 86_400;

/** How long a browser may keep `loader.js` and the pages: changes are out within minutes. */
const SHORT_S = 300;

/** What each page may do besides what all may; see `pagePolicy`. */
const EXTRAS: Record<string, (api: string) => string[]> = {
  "look.html": (api) => ["script-src 'self'", `connect-src ${api}`, "require-trusted-types-for 'script'"],
  "chat.html": (api) => ["script-src 'self'", `connect-src ${api}`, "require-trusted-types-for 'script'"],
  "voice.html": (api) => [
    // The resampler of browsers that record at their own rate only is WebAssembly.
    "script-src 'self' 'wasm-unsafe-eval'",
    // Sessions and rooms are wherever the platforms say: regions, residencies, a LiveKit server of one's own.
    api.startsWith("https://")
      ? `connect-src 'self' ${api} https: wss:`
      : "connect-src https: http: wss: ws:",
  ],
};

/**
 * The Content-Security-Policy of a page: its own files, the API, and nothing else. It is in the page itself, so that it
 * holds on every host.
 */
export function pagePolicy(page: string, apiUrl: string | undefined): string {
  const api = apiUrl === undefined ? "https: http:" : new URL(apiUrl).origin;
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ...EXTRAS[page]?.(api) ?? [],
  ].join("; ");
}

/** The headers a file of the widget host is served with. */
export function headersFor(path: string): Record<string, string> {
  return {
    "Cache-Control": path.startsWith("/assets/")
      ? `public, max-age=${YEAR_S}, immutable`
      : `public, max-age=${SHORT_S}`,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    // Pages of other origins load the loader, and check the integrity of what it names.
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
  };
}

/** The same for static hosts that read a `_headers` file, with each page's policy. */
export function headersFile(apiUrl: string | undefined): string {
  const pages = Object.keys(PAGES).map((page) => `/${page}`);
  const rules = [
    ...["/assets/*", "/loader.js", "/manifest.json"].map((path) => ({ path, policy: undefined })),
    ...pages.map((path) => ({ path, policy: pagePolicy(path.slice(1), apiUrl) })),
  ];
  return rules.map(({ path, policy }) => {
    const headers = { ...headersFor(path), ...(policy && { "Content-Security-Policy": policy }) };
    return `${path}\n${Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`).join("")}`;
  }).join("\n");
}
