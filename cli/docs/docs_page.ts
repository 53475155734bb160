import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "../../supabase/functions/_shared/values/urls.ts";
import { listDocs } from "./llms_text.ts";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>outbound API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${ROOT}/docs/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<script src="${ROOT}/docs/swagger-ui-bundle.js"></script>
<script src="${ROOT}/docs/open.js"></script>
</body>
</html>
`;

/** The page requests nothing from other servers: `validatorUrl` would send the document to swagger.io. */
const OPEN = `SwaggerUIBundle({
  url: "${ROOT}/openapi.json",
  dom_id: "#page",
  deepLinking: true,
  validatorUrl: null,
});
`;

const HEADERS = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

const PROJECT = resolve(fileURLToPath(import.meta.url), "../../..");

/**
 * Returns the handler of `GET /functions/v1/docs`: the interactive page of the API, made by Swagger UI from `openapi.json`,
 * with all its files served from here. `/` and `/docs` redirect to it. Below it are the pages of `docs/` as Markdown, and
 * `llms.txt`, the list of them for AI agents, to which `/llms.txt` redirects. Returns undefined for any other path.
 */
export function createDocsPage(): (request: Request) => Response | Promise<Response> | undefined {
  const pages: Record<string, () => Response | Promise<Response>> = {
    "/": () => redirect("/docs"),
    "/docs": () => redirect("/docs"),
    "/llms.txt": () => redirect("/docs/llms.txt"),
    [`${ROOT}/llms.txt`]: () => redirect("/docs/llms.txt"),
    [`${ROOT}/docs/llms.txt`]: () => page("llms.txt", "text/plain; charset=utf-8"),
    ...Object.fromEntries(
      listDocs(PROJECT).map((
        name,
      ) => [`${ROOT}/docs/${name}`, () => page(name, "text/markdown; charset=utf-8")]),
    ),
    [`${ROOT}/docs`]: () => respond(PAGE, "text/html; charset=utf-8"),
    [`${ROOT}/docs/open.js`]: () => respond(OPEN, "text/javascript"),
    [`${ROOT}/docs/swagger-ui-bundle.js`]: () => asset(bundle, "text/javascript"),
    [`${ROOT}/docs/swagger-ui.css`]: () => asset(style, "text/css"),
  };
  return (request) => {
    // The client's Host header is part of the URL and may be invalid there.
    const pathname = request.method === "GET" ? URL.parse(request.url)?.pathname : undefined;
    if (pathname === undefined || !Object.hasOwn(pages, pathname)) return undefined;
    return pages[pathname]!();
  };
}

function redirect(path: string): Response {
  return new Response(null, { status: 302, headers: { Location: `${ROOT}${path}` } });
}

async function page(name: string, type: string): Promise<Response> {
  const file = await Deno.open(join(PROJECT, "docs", name));
  return respond(file.readable, type);
}

function respond(body: BodyInit, type: string): Response {
  return new Response(body, { headers: { ...HEADERS, "Content-Type": type } });
}

/** Imported rather than read as files, which would take the permission to read Deno's cache. */
const bundle = () => import("swagger-ui-dist/swagger-ui-bundle.js", { with: { type: "text" } });
const style = () => import("swagger-ui-dist/swagger-ui.css", { with: { type: "text" } });

async function asset(load: () => Promise<{ default: string }>, type: string): Promise<Response> {
  const response = respond((await load()).default, type);
  response.headers.set("Cache-Control", "public, max-age=3600");
  return response;
}
