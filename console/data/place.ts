import { computed, signal } from "@preact/signals";

import { linkTo, type Place, readPlace } from "./links.ts";

const hash = signal(location.hash);
addEventListener("hashchange", () => hash.value = location.hash);

/** The current place, which follows links, and the browser's buttons. */
export const place = computed<Place>(() => readPlace(hash.value));

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
