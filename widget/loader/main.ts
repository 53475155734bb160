/**
 * The script on the page: `<script src=".../loader.js" data-mode data-customer data-widget async>`. Puts a button on the
 * page and loads the widget when the visitor presses it, or at once for an active conversation. Errors in here never
 * affect the page.
 *
 * @module
 */
import { warn } from "../shared/warn.ts";
import { loadTheme, REFUSED } from "./theme.ts";
import { createWidget } from "./create_widget.ts";
import { emit } from "./host_page.ts";
import { type LoaderOptions, readOptions } from "./options.ts";
import { arrange, type Entry, registerPageApi } from "./page_api.ts";

/** Only set while the script first runs, so it is read before any `await`. */
const script = document.currentScript;

async function start(options: LoaderOptions, script: HTMLScriptElement): Promise<void> {
  const { widget, mode } = options;
  const widgets = registerPageApi();
  if (widgets.has(widget)) return warn(`the widget ${widget} is on this page already`);
  const entry: Entry = { mode, script };
  widgets.set(widget, entry);
  await bodyExists();
  const theme = await loadTheme(options);
  // The page may have destroyed it in the meantime.
  if (widgets.get(widget) !== entry) return;
  if (theme === REFUSED) {
    widgets.delete(widget);
    emit("refused", options);
    return warn(`the API refused the widget ${widget} for this key on this page: no widget is shown`);
  }
  entry.widget = createWidget(options, theme);
  arrange(widgets);
  if (entry.wantsOpen || options.open) entry.widget.open({ takeFocus: entry.wantsOpen === true });
}

function bodyExists(): Promise<void> {
  if (document.body) return Promise.resolve();
  return new Promise((resolve) => addEventListener("DOMContentLoaded", () => resolve(), { once: true }));
}

if (script instanceof HTMLScriptElement) {
  const options = readOptions(script);
  if (options) start(options, script).catch(() => warn("the widget could not be shown"));
} else {
  warn("the loader needs a <script> of its own, without type=module: no widget is shown");
}
