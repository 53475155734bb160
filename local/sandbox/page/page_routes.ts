import type { SandboxApp } from "../http/sandbox_app.ts";

const SCRIPTS = [
  "account_panel.js",
  "api.js",
  "bubble.js",
  "call_controls.js",
  "call_list.js",
  "call_phone.js",
  "calls.js",
  "controls.js",
  "fault_panel.js",
  "follower.js",
  "header.js",
  "main.js",
  "phones.js",
  "rich_text.js",
  "settings_panel.js",
];

/** Files of the pages, by the path they are served under. */
const FILES: Readonly<Record<string, { file: string; type: string }>> = {
  "/": { file: "index.html", type: "text/html; charset=utf-8" },
  "/calls": { file: "calls.html", type: "text/html; charset=utf-8" },
  "/page/style.css": { file: "style.css", type: "text/css; charset=utf-8" },
  "/page/calls.css": { file: "calls.css", type: "text/css; charset=utf-8" },
  "/page/icon.svg": { file: "icon.svg", type: "image/svg+xml" },
  ...Object.fromEntries(
    SCRIPTS.map((file) => [`/page/${file}`, { file, type: "text/javascript; charset=utf-8" }]),
  ),
};

/** Pictures may come from anywhere over https, because header images do; all else is our own. */
const HEADERS = {
  "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "img-src 'self' https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

/** `GET /`, `GET /calls` and the files the pages are made of. */
export function registerPageRoutes(app: SandboxApp): void {
  for (const [path, { file, type }] of Object.entries(FILES)) {
    app.get(path, async (c) => {
      const bytes = await Deno.readFile(new URL(file, import.meta.url));
      return c.body(bytes, 200, { ...HEADERS, "Content-Type": type });
    });
  }
}
