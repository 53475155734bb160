/**
 * The script on the page: `<script src=".../loader.js" data-mode data-customer data-widget async>`. Puts a button on the
 * page and loads the widget when the visitor presses it, or at once for an active conversation. Errors in here never
 * affect the page.
 *
 * @module
 */
import { warn } from "../shared/warn.ts";
import { loadLook } from "./load_look.ts";
import { openPageStore } from "./page_store.ts";
import { parseTheme } from "./theme.ts";
import { createWidget, languageOf } from "./create_widget.ts";
import { emit } from "./host_page.ts";
import { type LoaderOptions, readOptions } from "./options.ts";
import { arrange, type Entry, registerPageApi } from "./page_api.ts";

/** Only set while the script first runs, so it is read before any `await`. */
const script = document.currentScript;

/**
 * Shows the widget as it looked at the last visit, or in the colour that the page names, at once; then as it looks now.
 * Without either it is shown once its look is loaded.
 */
async function start(options: LoaderOptions, script: HTMLScriptElement): Promise<void> {
  const { widget, mode } = options;
  const widgets = registerPageApi();
  if (widgets.has(widget)) return warn(`the widget ${widget} is on this page already`);
  const entry: Entry = { mode, script };
  widgets.set(widget, entry);
  await bodyExists();
  const store = openPageStore(options);
  const name = `look:${options.lang ?? ""}`;
  const known = store.get(name);
  const given = { colors: { primary: options.color } };
  if (known !== undefined) show(parse(known));
  else if (options.color) show(given);
  const loaded = await loadLook(options, languageOf(options));
  // The page may have destroyed it in the meantime.
  if (widgets.get(widget) !== entry) return;
  if (loaded.state === "refused") {
    store.remove(name);
    entry.widget?.destroy();
    widgets.delete(widget);
    emit("refused", options);
    return warn(`the API refused the widget ${widget} for this key on this page: no widget is shown`);
  }
  const text = JSON.stringify(loaded.look);
  if (loaded.state === "loaded" && text !== known) store.set(name, text);
  else if (known !== undefined) return;
  show(Object.assign(given, loaded.look));

  function show(value: unknown): void {
    const theme = parseTheme(value);
    if (entry.widget) {
      entry.widget.dress(theme);
      delete entry.offsetY;
      return arrange(widgets);
    }
    entry.widget = createWidget(options, theme);
    arrange(widgets);
    if (entry.wantsOpen || options.open) entry.widget.open({ takeFocus: entry.wantsOpen === true });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function bodyExists(): Promise<void> {
  if (document.body) return Promise.resolve();
  return new Promise((resolve) => addEventListener("DOMContentLoaded", () => resolve(), { once: true }));
}

if (script instanceof HTMLScriptElement) {
  const options = readOptions(script);
  if (options) start(options, script).catch(() => warn("the widget could not be shown"));
} else {
  warn("the loader needs a <script src> without type=module: no widget is shown");
}
