import { html } from "hono/html";

export interface DemoPageFacts {
  /** The address of the widget host, which serves this page. */
  widgetUrl: string;
  publishableKey: string;
  chatWidgetId: string;
  voiceWidgetId: string;
  apiUrl: string;
  /** The demo company in the console, and the user who replies there. */
  console: { companyUrl: string; email: string };
}

const LANGUAGES = { en: "English", es: "Español" };

/** Returns the strictest policy that allows widgets. docs/widgets.md has the same lines for any page. */
function policy(apiUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `frame-src 'self' ${new URL(apiUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Responds with the page at `/`, which shows both widgets of the demo company, or its style; undefined for other paths. */
export function demoPage({ pathname, searchParams }: URL, facts: DemoPageFacts): Response | undefined {
  if (pathname === "/demo.css") return respond(STYLE, "text/css", facts);
  if (pathname !== "/") return undefined;
  const language = searchParams.get("lang") === "es" ? "es" : "en";
  return respond(String(page(language, facts)), "text/html", facts);
}

function respond(body: string, type: string, { apiUrl }: DemoPageFacts): Response {
  return new Response(body, {
    headers: {
      "Content-Type": `${type}; charset=utf-8`,
      "Content-Security-Policy": policy(apiUrl),
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "no-store",
    },
  });
}

function embedLines({ widgetUrl, publishableKey, chatWidgetId }: DemoPageFacts, language: string): string {
  return `<script async src="${widgetUrl}/loader.js"
  data-mode="chat"
  data-customer="${publishableKey}"
  data-widget="${chatWidgetId}"
  data-lang="${language}"></script>`;
}

function page(language: keyof typeof LANGUAGES, facts: DemoPageFacts) {
  const { publishableKey, chatWidgetId, voiceWidgetId, apiUrl, console: { companyUrl, email } } = facts;
  return html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Demo Traders · widgets</title>
        <link rel="stylesheet" href="/demo.css">
        <script src="/loader.js" data-mode="chat" data-customer="${publishableKey}" data-widget="${chatWidgetId}"
          data-lang="${language}" async></script>
        <script src="/loader.js" data-mode="voice" data-customer="${publishableKey}" data-widget="${voiceWidgetId}"
          data-lang="${language}" async></script>
      </head>
      <body>
        <main>
          <h1>A page with widgets</h1>
          <p>
                The chat is at the lower right, the voice assistant at the lower left. Before you press a button,
                only their colours and texts are loaded.
              </p>
          <nav aria-label="Language of the widgets">
                ${Object.entries(LANGUAGES).map(([code, name]) =>
                  html`<a href="/?lang=${code}" ${
                    code === language ? html`aria-current="page"` : ""
                  }>${name}</a>`
                )}
              </nav>
          <h2>Reply as the company</h2>
          <ol>
            <li>Write something into the chat.</li>
            <li>
                  Open <a href="${companyUrl}/inbox" target="_blank">the inbox in the console</a>. Log in as
                  <code>${email}</code>; <code>deno task start</code> printed the password beside it.
                </li>
            <li>Choose your message there and reply: the reply appears here within a second.</li>
          </ol>
          <h2>On your own page</h2>
          <p>
                <a href="${companyUrl}/widgets/${chatWidgetId}?tab=embed" target="_blank">The chat in the console</a>
                has the line for your page, and a bookmark that shows the chat on any page that you have open:
              </p>
          <pre>${embedLines(facts, language)}</pre>
          <p>
                <code>docs/widgets.md</code> lists every attribute and setting. The API is at
                <a href="${apiUrl}/docs">${apiUrl}</a>.
              </p>
        </main>
      </body>
    </html>
  `;
}

/** The style of the page that shows the widgets. */
export const STYLE = `
:root { color-scheme: light dark; }
body {
  margin: 0;
  font: 400 17px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  color: light-dark(#1c1e21, #e8e9eb);
  background: light-dark(#f6f5f2, #17181a);
}
main { max-width: 42rem; margin: 0 auto; padding: 8vh 20px 140px; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 0.4rem; }
a { color: light-dark(#1749c4, #9db8ff); }
nav { display: flex; gap: 8px; margin: 1.2rem 0; }
nav a {
  padding: 6px 16px;
  border: 1px solid light-dark(#8a8f96, #8a8f96);
  border-radius: 20px;
  text-decoration: none;
}
nav a[aria-current] { color: #fff; background: #1749c4; border-color: #1749c4; }
pre {
  padding: 14px 16px;
  overflow-x: auto;
  font-size: 14px;
  line-height: 1.5;
  background: light-dark(#fff, #222428);
  border: 1px solid light-dark(#dcdad4, #3a3d42);
  border-radius: 10px;
}
`;
