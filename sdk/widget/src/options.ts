import type { Mode } from "./page_api.ts";

/** A widget, and how it is shown. */
export interface WidgetOptions {
  /** The address of the widget host, which serves `loader.js`, such as `https://widgets.example.com`. */
  host: string;
  /** The widget's id. */
  widget: string;
  /** A publishable key (`pk_…`). Never an access key: everyone can read what is on a page. */
  customer: string;
  /** @default {"chat"} */
  mode?: Mode | undefined;
  /** A language such as `es` or `pt-BR`; the page's own by default. */
  lang?: string | undefined;
  /** Whether visitors can close an open widget. @default {true} */
  showClose?: boolean | undefined;
  /** Whether it opens at once. @default {false} */
  open?: boolean | undefined;
  /** The widget's own by default. */
  position?: "bottom-right" | "bottom-left" | "top-right" | "top-left" | undefined;
  /** The button's name, at most 100 characters. */
  label?: string | undefined;
  /** Of the button, as `#rrggbb`, until its look is loaded: it is shown half a second earlier on a slow connection. */
  color?: string | undefined;
  /** The API's base URL, ending in `/functions/v1`; only for a widget host that was built without one. */
  api?: string | undefined;
  /** The visitor, as your server has signed who that is. Applies to all widgets of the page. */
  identity?: unknown;
  /** The nonce of the page's Content-Security-Policy, if it has one. */
  nonce?: string | undefined;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the widget's id as the loader spells it.
 *
 * @throws {TypeError} for an option that no widget can be shown with
 */
export function checkOptions({ host, widget, customer }: WidgetOptions): string {
  if (!/^https?:\/\/[^/]/.test(host ?? "")) {
    throw new TypeError(`host: expected the address of the widget host, got ${JSON.stringify(host)}`);
  }
  const id = String(widget).trim().toLowerCase();
  if (!ID.test(id)) throw new TypeError(`widget: expected the id of a widget, got ${JSON.stringify(widget)}`);
  // Never quoted: people copy errors into tickets.
  if (!customer) throw new TypeError("customer: expected a publishable key (pk_…)");
  return id;
}

/** Returns the `data-…` attributes of the loader's script. */
export function attributesOf(options: WidgetOptions): Record<string, string> {
  const { mode, widget, customer, lang, showClose, open, position, label, color, api } = options;
  const values = { mode, widget, customer, lang, "show-close": showClose, open, position, label, color, api };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [`data-${name}`, String(value)]));
}
