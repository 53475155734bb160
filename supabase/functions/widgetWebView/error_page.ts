import { html } from "hono/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppContext } from "../_shared/http/app/context.ts";
import { respondError } from "../_shared/http/app/respond_error.ts";

/** Responds to a browser with a small error page, to other clients with JSON. */
export async function respondErrorPage(error: Error, c: AppContext): Promise<Response> {
  const response = respondError(error, c);
  if (!/\btext\/html\b/.test(c.req.header("Accept") ?? "")) return response;
  const { message } = await response.json() as { message: string };
  c.header("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'");
  c.header("Referrer-Policy", "no-referrer");
  c.header("X-Content-Type-Options", "nosniff");
  const page = html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="robots" content="noindex">
        <title>Not available</title>
      </head>
      <body>
        <h1>This chat is not available</h1>
        <p>${message}</p>
        <p>Request ${c.var.requestId}</p>
      </body>
    </html>
  `;
  return c.html(page, response.status as ContentfulStatusCode);
}
