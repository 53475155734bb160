import { openStore, type Store } from "../shared/store.ts";
import type { LoaderOptions } from "./options.ts";

/**
 * Opens the values that the loader stores for itself in the page's storage: the look of the last visit, and the day of the
 * last proactive message. The widget's iframe does not receive them.
 */
export function openPageStore({ api, widget }: Pick<LoaderOptions, "api" | "widget">): Store {
  return openStore(`outbound-page:${api}:${widget}:`);
}
