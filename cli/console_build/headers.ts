import { bothSchemes } from "../browser_build/options.ts";
import { cacheControl, headersText } from "../browser_build/site.ts";

/** The host that a build of the console is for. */
export interface ConsoleTarget {
  /** The API's base URL; undefined where it is on the console's own host. */
  apiUrl: string | undefined;
  /** LiveKit servers, on which members join calls of the voice widget. */
  platformUrls: string[];
}

/**
 * Returns the Content-Security-Policy of the page: its own files, the API and the named platforms, no inline code, and
 * no text that becomes markup. It is in the page itself, so that it holds on every host.
 */
export function consolePolicy({ apiUrl, platformUrls }: ConsoleTarget): string {
  const api = apiUrl === undefined ? ["'self'"] : ["'self'", new URL(apiUrl).origin];
  const hosts = [...api, ...platformUrls.flatMap(bothSchemes)];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The API's are pictures of members; data: is the QR code of a second factor, which the auth server draws; blob: are
    // pictures that only a request with the person's token can load.
    `img-src ${api.join(" ")} data: blob:`,
    "manifest-src 'self'",
    // Recordings, which only a request with the person's token can load.
    "media-src blob:",
    `connect-src ${hosts.join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    // Names one text, the address of the service worker (console/data/live/push.ts), and lets none become markup.
    "trusted-types outbound-worker",
  ].join("; ");
}

const WORKER = "/service_worker.js";

/** Files that keep their names and must not be old. */
const FRESH = ["/config.json", WORKER];

/** Returns the headers that a file of the console is served with. */
export function consoleHeaders(path: string, target: ConsoleTarget): Record<string, string> {
  const isPage = path === "/" || path === "/index.html";
  return {
    "Cache-Control": isPage || FRESH.includes(path) ? "no-cache" : cacheControl(path),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    ...(path === WORKER && { "Content-Security-Policy": "default-src 'none'" }),
    ...(isPage && {
      // A page cannot say this of itself: no site may show the console inside another page.
      "Content-Security-Policy": `${consolePolicy(target)}; frame-ancestors 'none'`,
      "Cross-Origin-Opener-Policy": "same-origin",
    }),
  };
}

/** Returns the same as a `_headers` file. */
export function consoleHeadersFile(target: ConsoleTarget): string {
  const paths = ["/", "/index.html", "/config.json", WORKER, "/assets/*", "/icon.svg", "/app.webmanifest"];
  return headersText(paths.map((path) => ({ path, headers: consoleHeaders(path, target) })));
}
