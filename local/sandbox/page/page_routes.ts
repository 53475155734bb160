import type { SandboxApp } from "../http/sandbox_app.ts";

/** Files of the pages, below this folder; each is served under `/page/`. */
const FILES = [
  ...["shared/style.css", "shared/phones.css", "shared/panel.css", "shared/icon.svg"],
  ...[
    "dom.js",
    "fault_panel.js",
    "figures.js",
    "follower.js",
    "header.js",
    "latest_phones.js",
    "settings_panel.js",
  ].map((name) => `shared/${name}`),
  ...[
    "main.js",
    "bubble.js",
    "cards.js",
    "chat.js",
    "components.css",
    "controls.js",
    "offer.js",
    "people.css",
    "phone_actions.js",
    "phones.js",
  ].map((name) => `messages/${name}`),
  ...["main.js", "call_controls.js", "call_list.js", "call_phone.js", "calls.css"].map((name) =>
    `calls/${name}`
  ),
];

/** A file of the server that the pages load too, at the address to which its path leads from theirs. */
const SHOW_CONTROLS = "supabase/functions/_shared/show_controls.js";

const PAGES = { "/": "messages/index.html", "/calls": "calls/index.html" };

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** Pictures may come from anywhere over https, because header images do; everything else is our own. */
const HEADERS = {
  "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "img-src 'self' https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

/** Registers `GET /`, `GET /calls` and the files of both pages. */
export function registerPageRoutes(app: SandboxApp): void {
  const files = FILES.map((file) => [`/page/${file}`, file] as const);
  const shared = [`/${SHOW_CONTROLS}`, `../../../${SHOW_CONTROLS}`] as const;
  for (const [path, file] of [...Object.entries(PAGES), ...files, shared]) {
    const headers = { ...HEADERS, "Content-Type": TYPES[file.split(".").at(-1)!]! };
    app.get(path, async (c) => c.body(await Deno.readFile(new URL(file, import.meta.url)), 200, headers));
  }
}
