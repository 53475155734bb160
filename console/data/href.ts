/**
 * A screen and its filters: `#/COMPANY/campaigns?open=true`. It is in the fragment, so that any static host serves the
 * console, in any folder and without rules for paths, and so that no server's log has it.
 */
export interface Route {
  path: string[];
  query: Record<string, string>;
}

/** Parses the fragment of a URL. One that does not begin with `#/` is no route: it may be a token. */
export function parseRoute(fragment: string): Route {
  const [path = "", query = ""] = fragment.startsWith("#/") ? fragment.slice(2).split("?", 2) : [];
  return {
    path: path.split("/").filter((part) => part !== "").map(decode),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** Returns the address of a link. Empty values of the query are left out. */
export function hrefTo(path: string[], query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
