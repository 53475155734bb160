import { computed, signal } from "@preact/signals";

/**
 * Where the person is: `#/COMPANY/campaigns?open=true`. It is in the fragment, so that any static host serves the
 * console, in any folder and without rules for paths, and so that no server's log has it.
 */
export interface Place {
  path: string[];
  query: Record<string, string>;
}

const hash = signal(location.hash);
addEventListener("hashchange", () => hash.value = location.hash);

/** The current place, which follows links, and the browser's buttons. */
export const place = computed<Place>(() => readPlace(hash.value));

/** Reads a place from the fragment of a URL. */
export function readPlace(fragment: string): Place {
  const [path = "", query = ""] = fragment.replace(/^#\/?/, "").split("?", 2);
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

/** Goes to a link of `linkTo`. */
export function goTo(link: string): void {
  location.hash = link;
}

/** Changes values in the query, without a new entry in the history; undefined and "" remove one. */
export function changeQuery(changes: Record<string, string | undefined>): void {
  const { path, query } = place.peek();
  history.replaceState(history.state, "", linkTo(path, { ...query, ...changes }));
  hash.value = location.hash;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
