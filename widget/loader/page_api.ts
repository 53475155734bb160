import type { Mode, PageApi } from "../../sdk/widget/src/page_api.ts";
import { emit } from "./host_page.ts";
import { warn } from "../shared/warn.ts";
import type { Widget } from "./create_widget.ts";
import { stack } from "./position.ts";

/** A widget of this page, from the moment its script has run. */
export interface Entry {
  mode: Mode;
  /** Its position in the document orders the widgets. */
  script: HTMLScriptElement;
  /** Undefined until its theme is loaded. */
  widget?: Widget;
  /** The distance from its edge of the window after it was moved, in pixels. */
  offsetY?: number;
  /** The page opened it before it was made. */
  wantsOpen?: boolean;
}

declare global {
  var outbound: (PageApi & { widgets?: Map<string, Entry>; identity?: unknown }) | undefined;
}

/** Returns the page's widgets by id, shared by all loaders on it, and makes `window.outbound` if needed. */
export function registerPageApi(): Map<string, Entry> {
  if (globalThis.outbound?.widgets) return globalThis.outbound.widgets;
  const widgets = new Map<string, Entry>();
  const find = (name?: string) => {
    const wanted = name?.toLowerCase();
    const found = inDocumentOrder(widgets)
      .filter(([id, { mode }]) => wanted === undefined || wanted === id || wanted === mode)
      .slice(0, 1);
    if (found.length === 0 && wanted) warn(`there is no widget ${wanted} on this page`);
    return found;
  };
  const open = (name?: string) => find(name).forEach(([, entry]) => openEntry(entry));
  const api: PageApi = {
    open: (name) =>
      hasLoaderPending(widgets) ? addEventListener("load", () => open(name), { once: true }) : open(name),
    close: (name) => find(name).forEach(([, { widget }]) => widget?.close()),
    toggle: (name) => find(name).forEach(([, { widget }]) => widget?.toggle()),
    destroy(name) {
      for (const [id, { widget, mode }] of name === undefined ? [...widgets] : find(name)) {
        widgets.delete(id);
        if (widget) widget.destroy();
        else emit("destroy", { widget: id, mode });
      }
      arrange(widgets);
    },
    identify(identity) {
      Object.defineProperty(api, "identity", { value: identity, configurable: true });
      if (identity === null) widgets.forEach(({ widget }) => widget?.logOut());
    },
  };
  globalThis.outbound = Object.defineProperty(api, "widgets", { value: widgets });
  return widgets;
}

/** Moves widgets that would cover each other. The first one in the document keeps its position. */
export function arrange(widgets: Map<string, Entry>): void {
  const made = inDocumentOrder(widgets).filter(([, { widget }]) => widget);
  const offsets = stack(made.map(([, { widget }]) => widget!.position));
  for (const [index, [id, entry]] of made.entries()) {
    const offset = offsets[index]!;
    if (offset === (entry.offsetY ?? entry.widget!.position.offsetY)) continue;
    entry.widget!.moveTo(offset);
    entry.offsetY = offset;
    if (offset === entry.widget!.position.offsetY) continue;
    warn(`the widget ${id} was moved: set data-position`);
  }
}

function inDocumentOrder(widgets: Map<string, Entry>): [id: string, entry: Entry][] {
  return [...widgets].sort(([, { script: one }], [, { script: other }]) =>
    one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING ? 1 : -1
  );
}

function openEntry(entry: Entry): void {
  if (entry.widget) entry.widget.open();
  else entry.wantsOpen = true;
}

/**
 * Returns whether the document has a loader script that has not run yet. Scripts with `async` run in any order, but all
 * of them before the page's `load` event.
 */
function hasLoaderPending(widgets: Map<string, Entry>): boolean {
  if (document.readyState === "complete") return false;
  const scripts = document.querySelectorAll<HTMLScriptElement>("script[data-widget]");
  return [...scripts].some(({ dataset }) => !widgets.has(dataset.widget!.trim().toLowerCase()));
}
