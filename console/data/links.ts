/**
 * Where the person is: `#/COMPANY/campaigns?open=true`. It is in the fragment, so that any static host serves the
 * console, in any folder and without rules for paths, and so that no server's log has it.
 */
export interface Place {
  path: string[];
  query: Record<string, string>;
}

/** Reads a place from the fragment of a URL. One that does not begin with `#/` is no place: it may be a token. */
export function readPlace(fragment: string): Place {
  const [path = "", query = ""] = fragment.startsWith("#/") ? fragment.slice(2).split("?", 2) : [];
  return {
    path: path.split("/").filter((part) => part !== "").map(decode),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** Writes a place as the address of a link. Empty values of the query are left out. */
export function linkTo(path: string[], query: Record<string, string | undefined> = {}): string {
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
