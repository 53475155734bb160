import type { Widget } from "./create_widget.ts";

/** `window.outbound`: what a page may do with its widgets. Without an id, the first one on the page is meant. */
export interface PageApi {
  open(widgetId?: string): void;
  close(widgetId?: string): void;
  toggle(widgetId?: string): void;
  /** Without an id: all of them. */
  destroy(widgetId?: string): void;
}

declare global {
  var outbound: (PageApi & { widgets?: Map<string, Widget | undefined> }) | undefined;
}

/**
 * The page's widgets by id, shared by every loader on it; makes `window.outbound` when there is none. An id stands there
 * without a widget while that is being made.
 */
export function registerPageApi(): Map<string, Widget | undefined> {
  if (globalThis.outbound?.widgets) return globalThis.outbound.widgets;
  const widgets = new Map<string, Widget | undefined>();
  const find = (id?: string) => id === undefined ? [...widgets.values()][0] : widgets.get(id.toLowerCase());
  const api: PageApi = {
    open: (id) => find(id)?.open(),
    close: (id) => find(id)?.close(),
    toggle: (id) => find(id)?.toggle(),
    destroy(id) {
      for (const each of id === undefined ? [...widgets.keys()] : [id.toLowerCase()]) {
        widgets.get(each)?.destroy();
        widgets.delete(each);
      }
    },
  };
  globalThis.outbound = Object.defineProperty(api, "widgets", { value: widgets });
  return widgets;
}
