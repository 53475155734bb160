import { ROUTES, type Routes } from "../generated/routes.gen.ts";
import { notScripted } from "./fake_refusal.ts";

/** A request that came. */
export interface FakeRequest<Route extends keyof Routes = keyof Routes> {
  /** Its method and path as in the API document. */
  route: Route;
  /** The values in the path, such as `campaign_id`. */
  path: Record<string, string>;
  query: Record<string, string>;
  headers: Headers;
  body: Routes[Route]["data"]["body"];
}

/** Reads a request of the client. */
export async function readRequest(request: Request): Promise<FakeRequest> {
  const { pathname, searchParams } = new URL(request.url);
  const text = await request.text();
  const isJson = request.headers.get("Content-Type")?.startsWith("application/json");
  return {
    ...findRoute(request.method, pathname),
    query: Object.fromEntries(searchParams),
    headers: request.headers,
    body: text === "" ? undefined : isJson ? JSON.parse(text) : text,
  };
}

/** Of several routes that fit, such as `…/drafts` and `…/{campaign_id}`, it is the one with the fewest variables. */
function findRoute(method: string, pathname: string): Pick<FakeRequest, "route" | "path"> {
  const found = ROUTES.flatMap((route) => {
    const path = matchPath(route, `${method} ${pathname}`);
    return path ? [{ route, path }] : [];
  }).sort((a, b) => Object.keys(a.path).length - Object.keys(b.path).length)[0];
  if (!found) throw notScripted(`${method} ${pathname}`);
  return found;
}

function matchPath(route: string, asked: string): Record<string, string> | undefined {
  const [wanted, given] = [route.split("/"), asked.split("/")];
  if (wanted.length !== given.length) return undefined;
  const path: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name !== undefined) path[name] = decodeURIComponent(given[index]!);
    else if (part !== given[index]) return undefined;
  }
  return path;
}
