import { computed, signal } from "@preact/signals";
import { hrefTo, parseRoute, type Route } from "./href.ts";

const hash = signal(location.hash);
addEventListener("hashchange", () => hash.value = location.hash);

/** The current route, which follows links and the browser's buttons. */
export const route = computed<Route>(() => parseRoute(hash.value));

/** Goes to an address that `hrefTo` returned. */
export function navigate(href: string): void {
  location.hash = href;
}

/** Changes values in the query, without a new entry in the history; undefined and "" remove one. */
export function changeQuery(changes: Record<string, string | undefined>): void {
  const { path, query } = route.peek();
  history.replaceState(history.state, "", hrefTo(path, { ...query, ...changes }));
  hash.value = location.hash;
}
