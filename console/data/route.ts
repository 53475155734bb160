import { computed, signal } from "@preact/signals";
import { hrefTo, parseRoute, type Route } from "./href.ts";
import { hasUnsaved, mayLeave } from "./unsaved.ts";

const hash = signal(location.hash);

/** The current route, which follows links and the browser's buttons. */
export const route = computed<Route>(() => parseRoute(hash.value));

addEventListener("hashchange", () => {
  const wanted = location.hash;
  if (!leavesUnsaved(wanted)) return void (hash.value = wanted);
  // The browser has gone there already: it comes back until the member says so.
  history.pushState(history.state, "", hash.peek());
  void mayLeave().then((yes) => yes && history.back());
});

/** Links ask before the browser follows them, so that its history stays as it is. */
addEventListener("click", (event) => {
  const link = event.target instanceof Element
    ? event.target.closest<HTMLAnchorElement>('a[href^="#/"]')
    : null;
  const isPlain = !event.defaultPrevented && event.button === 0 &&
    !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  const wanted = link?.getAttribute("href");
  if (!wanted || !isPlain || !leavesUnsaved(wanted)) return;
  event.preventDefault();
  navigate(wanted);
});

/** Goes to an address that `hrefTo` returned, where nothing is lost by that, or the member agrees. */
export function navigate(href: string): void {
  if (!leavesUnsaved(href)) return void (location.hash = href);
  void mayLeave().then((yes) => {
    if (yes) location.hash = href;
  });
}

/** Tabs and drawers of a screen are in the query: the screen stays with what was typed. */
function leavesUnsaved(href: string): boolean {
  return hasUnsaved() && parseRoute(href).path.join("/") !== route.peek().path.join("/");
}

/** Changes values in the query, without a new entry in the history; undefined and "" remove one. */
export function changeQuery(changes: Record<string, string | undefined>): void {
  const { path, query } = route.peek();
  history.replaceState(history.state, "", hrefTo(path, { ...query, ...changes }));
  hash.value = location.hash;
}
