import type { SandboxApp } from "../http/sandbox_app.ts";

/** Files of the page, by the path they are served under. */
const FILES: Readonly<Record<string, { file: string; type: string }>> = {
  "/": { file: "index.html", type: "text/html; charset=utf-8" },
  "/page/style.css": { file: "style.css", type: "text/css; charset=utf-8" },
  "/page/main.js": { file: "main.js", type: "text/javascript; charset=utf-8" },
  "/page/phones.js": { file: "phones.js", type: "text/javascript; charset=utf-8" },
  "/page/bubble.js": { file: "bubble.js", type: "text/javascript; charset=utf-8" },
  "/page/rich_text.js": { file: "rich_text.js", type: "text/javascript; charset=utf-8" },
  "/page/controls.js": { file: "controls.js", type: "text/javascript; charset=utf-8" },
  "/page/icon.svg": { file: "icon.svg", type: "image/svg+xml" },
};

/** Pictures may come from anywhere over https, because header images do; all else is our own. */
const HEADERS = {
  "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "img-src 'self' https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

/** `GET /` and the files the page is made of. */
export function registerPageRoutes(app: SandboxApp): void {
  for (const [path, { file, type }] of Object.entries(FILES)) {
    app.get(path, async (c) => {
      const bytes = await Deno.readFile(new URL(file, import.meta.url));
      return c.body(bytes, 200, { ...HEADERS, "Content-Type": type });
    });
  }
}
