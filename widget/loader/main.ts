/**
 * What a page loads: `<script src=".../loader.js" data-mode data-customer data-widget async>`. Puts a button on the page;
 * the widget itself is loaded when somebody presses it, or where a conversation is going on. Whatever goes wrong here, the page goes on.
 *
 * @module
 */
import { warn } from "../shared/warn.ts";
import { askLook } from "./ask_look.ts";
import { createWidget } from "./create_widget.ts";
import { REFUSED } from "./look.ts";
import { type LoaderOptions, readOptions } from "./options.ts";
import { arrange, type Entry, registerPageApi } from "./page_api.ts";

/** Only there while the script runs for the first time, so it is read before anything is waited for. */
const script = document.currentScript;

async function start(options: LoaderOptions, script: HTMLScriptElement): Promise<void> {
  const { widget, mode } = options;
  const widgets = registerPageApi();
  if (widgets.has(widget)) return warn(`the widget ${widget} is on this page already`);
  const entry: Entry = { mode, script };
  widgets.set(widget, entry);
  await untilBodyIsThere();
  const look = await askLook(options);
  // A page may have taken it off again in the meantime.
  if (widgets.get(widget) !== entry) return;
  if (look === REFUSED) {
    widgets.delete(widget);
    return warn(`the API knows no widget ${widget} for this key on this page: none is shown`);
  }
  entry.widget = createWidget(options, look);
  arrange(widgets);
  if (entry.wantsOpen || options.open) entry.widget.open({ takeFocus: entry.wantsOpen === true });
}

function untilBodyIsThere(): Promise<void> {
  if (document.body) return Promise.resolve();
  return new Promise((resolve) => addEventListener("DOMContentLoaded", () => resolve(), { once: true }));
}

if (script instanceof HTMLScriptElement) {
  const options = readOptions(script);
  if (options) start(options, script).catch(() => warn("the widget could not be shown"));
} else {
  warn("the loader must be a script of its own, without type=module: no widget is shown");
}
