import { html } from "hono/html";
import { STYLE } from "./demo_style.ts";

export interface DemoPageFacts {
  /** The address of the widget host, which serves this page. */
  widgetUrl: string;
  publishableKey: string;
  chatWidgetId: string;
  voiceWidgetId: string;
  apiUrl: string;
}

const LANGUAGES = { en: "English", es: "Español" };

/** As strict as a page may be that shows widgets: docs/widgets.md has these lines for everybody's page. */
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

/** The page at `/`, with both widgets of the demo company on it, and its style; undefined for other paths. */
export function demoPage({ pathname, searchParams }: URL, facts: DemoPageFacts): Response | undefined {
  if (pathname === "/demo.css") return answer(STYLE, "text/css", facts);
  if (pathname !== "/") return undefined;
  const language = searchParams.get("lang") === "es" ? "es" : "en";
  return answer(String(page(language, facts)), "text/html", facts);
}

function answer(body: string, type: string, { apiUrl }: DemoPageFacts): Response {
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

const COMMANDS = `deno task admin chat list
deno task admin chat reply CONVERSATION "Hello!"`;

function embedLines({ widgetUrl, publishableKey, chatWidgetId }: DemoPageFacts, language: string): string {
  return `<script async src="${widgetUrl}/loader.js"
  data-mode="chat"
  data-customer="${publishableKey}"
  data-widget="${chatWidgetId}"
  data-lang="${language}"></script>`;
}

function page(language: keyof typeof LANGUAGES, facts: DemoPageFacts) {
  const { publishableKey, chatWidgetId, voiceWidgetId, apiUrl } = facts;
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
          <h1>A page with widgets on it</h1>
          <p>
                The chat is at the lower right, the voice assistant at the lower left. Neither touches this page:
                only their colours and texts are loaded before you press a button.
              </p>
          <nav aria-label="Language of the widgets">
                ${Object.entries(LANGUAGES).map(([code, name]) =>
                  html`<a href="/?lang=${code}" ${
                    code === language ? html`aria-current="page"` : ""
                  }>${name}</a>`
                )}
              </nav>
          <h2>Answer as the company</h2>
          <p>Write something into the chat, then, in a terminal:</p>
          <pre>${COMMANDS}</pre>
          <h2>On a page of yours</h2>
          <pre>${embedLines(facts, language)}</pre>
          <p>
                Every attribute and setting is in <code>docs/widgets.md</code>. The API answers at
                <a href="${apiUrl}/docs">${apiUrl}</a>.
              </p>
        </main>
      </body>
    </html>
  `;
}
