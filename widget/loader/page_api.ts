import { warn } from "../shared/warn.ts";
import type { Mode } from "./attributes.ts";
import type { Widget } from "./create_widget.ts";
import { stack } from "./place.ts";

/**
 * `window.outbound`: what a page may do with its widgets. `name` is a widget's id, or `chat` or `voice` for the first of
 * that kind in the document; without one, the first widget in the document is meant.
 */
export interface PageApi {
  open(name?: string): void;
  close(name?: string): void;
  toggle(name?: string): void;
  /** Without a name: all of them. */
  destroy(name?: string): void;
}

/** A widget of this page, from the moment its script has run. */
export interface Entry {
  mode: Mode;
  /** Its place in the document is the widget's place among the others. */
  script: HTMLScriptElement;
  /** Undefined while it is being made. */
  widget?: Widget;
  /** Where it was moved to, in pixels from its edge of the window. */
  offsetY?: number;
  /** Somebody wanted it open before it was made. */
  wantsOpen?: boolean;
}

declare global {
  var outbound: (PageApi & { widgets?: Map<string, Entry> }) | undefined;
}

/** The page's widgets by id, shared by every loader on it; makes `window.outbound` when there is none. */
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
      mayBecomeFirst(widgets) ? addEventListener("load", () => open(name), { once: true }) : open(name),
    close: (name) => find(name).forEach(([, { widget }]) => widget?.close()),
    toggle: (name) => find(name).forEach(([, { widget }]) => widget?.toggle()),
    destroy(name) {
      for (const [id, { widget }] of name === undefined ? [...widgets] : find(name)) {
        widget?.destroy();
        widgets.delete(id);
      }
      arrange(widgets);
    },
  };
  globalThis.outbound = Object.defineProperty(api, "widgets", { value: widgets });
  return widgets;
}

/** Puts the widgets where they do not lie on each other, the first of the document in its own place. */
export function arrange(widgets: Map<string, Entry>): void {
  const made = inDocumentOrder(widgets).filter(([, { widget }]) => widget);
  const offsets = stack(made.map(([, { widget }]) => widget!.place));
  for (const [index, [id, entry]] of made.entries()) {
    const offset = offsets[index]!;
    if (offset === (entry.offsetY ?? entry.widget!.place.offsetY)) continue;
    entry.widget!.moveTo(offset);
    entry.offsetY = offset;
    if (offset === entry.widget!.place.offsetY) continue;
    warn(`the widget ${id} would lie on another one and is moved: give one of them another data-position`);
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
 * Whether a script of the document that has not run yet may name a widget: scripts with `async` run in any order, and all
 * of them have when the page has loaded.
 */
function mayBecomeFirst(widgets: Map<string, Entry>): boolean {
  if (document.readyState === "complete") return false;
  const scripts = document.querySelectorAll<HTMLScriptElement>("script[data-widget]");
  return [...scripts].some(({ dataset }) => !widgets.has(dataset.widget!.trim().toLowerCase()));
}
