import { listen } from "./listen.ts";
import type { LoadedWidget } from "./loaded_widget.ts";
import { makeScript, runScript } from "./load_script.ts";
import { attributesOf, checkOptions, type WidgetOptions } from "./options.ts";
import type { PageApi } from "./page_api.ts";

/** A widget that is on the page, or on its way there. */
export interface Load {
  /** The widget's id. */
  widget: string;
  /** Its options, as text. */
  key: string;
  /** How many components and elements show it. */
  users: number;
  /** Rejects if there is no widget, and if it is removed before it is ready. */
  ready: Promise<LoadedWidget>;
  /** Settles once the script has run, or could not be loaded. */
  ran: Promise<void>;
  /** Removes the widget from the page. */
  end(): void;
}

/** `window.outbound` with the part that the loader keeps for itself. */
type LoaderApi = PageApi & { widgets?: Map<string, { script: HTMLScriptElement; widget?: unknown }> };

const loaderApi = () => (globalThis as { outbound?: LoaderApi }).outbound;

const LOADS = Symbol.for("@outbound/widget");

/** One map for the page: a bundle may contain this package twice, and development servers load it again. */
function allLoads(): Map<string, Load> {
  const holder = globalThis as { [LOADS]?: Map<string, Load> };
  return holder[LOADS] ??= new Map();
}

/**
 * Loads a widget, or shares the one that has the same options. One with other options is replaced.
 *
 * @throws {TypeError} for an option that no widget can be shown with
 */
export function retain(options: WidgetOptions): Load {
  const widget = checkOptions(options);
  const key = JSON.stringify([options.host, attributesOf(options)]);
  const load = shareLoad(widget, key) ?? startLoad(widget, key, options);
  const { identity } = options;
  if (identity !== undefined) load.ran.then(() => loaderApi()?.identify(identity), () => {});
  return load;
}

/** Removes the widget of a load that has no users left. */
export function release(load: Load): void {
  load.users--;
  // Later, because React's StrictMode and a move within the document mount the widget again at once.
  setTimeout(() => load.users === 0 && load.end());
}

function shareLoad(widget: string, key: string): Load | undefined {
  const load = allLoads().get(widget);
  if (load?.key !== key) return undefined;
  load.users++;
  return load;
}

function startLoad(widget: string, key: string, options: WidgetOptions): Load {
  const loads = allLoads();
  const previous = loads.get(widget);
  previous?.end();
  const script = makeScript(options);
  const ending = new AbortController();
  const { signal } = ending;
  // A loader that ran before the previous one has ended would refuse the widget.
  const ran = Promise.resolve(previous?.ran).catch(() => {}).then(() => {
    signal.throwIfAborted();
    const forgetDestroyed = listen(widget, "destroy", () => load.end());
    signal.addEventListener("abort", forgetDestroyed);
    return runScript(script);
  });
  const load: Load = {
    ...{ widget, key, ran },
    users: 1,
    ready: becomeReady(options, { widget, script, ran, signal, destroy: () => load.end() }),
    end() {
      if (signal.aborted) return;
      if (loads.get(widget) === load) loads.delete(widget);
      ending.abort(new DOMException(`The widget ${widget} was removed`, "AbortError"));
      remove(widget, script);
      ran.then(() => remove(widget, script), () => {});
    },
  };
  loads.set(widget, load);
  load.ready.catch(load.end);
  return load;
}

/** Removes a widget and its script from the page, as far as they are there. */
function remove(widget: string, script: HTMLScriptElement): void {
  if (isLoadedBy(script, widget)) loaderApi()!.destroy(widget);
  script.remove();
}

function isLoadedBy(script: HTMLScriptElement, widget: string): boolean {
  return loaderApi()?.widgets?.get(widget)?.script === script;
}

interface Starting {
  widget: string;
  script: HTMLScriptElement;
  ran: Promise<void>;
  /** Is aborted when the widget is removed. */
  signal: AbortSignal;
  destroy: () => void;
}

async function becomeReady(
  { mode = "chat" }: WidgetOptions,
  { widget, script, ran, signal, destroy }: Starting,
): Promise<LoadedWidget> {
  await ran;
  signal.throwIfAborted();
  if (!isLoadedBy(script, widget)) throw new Error(refusalOf(widget));
  // A look that the page has stored shows the widget before the script has ended.
  if (!loaderApi()?.widgets?.get(widget)?.widget) await shown(widget, signal);
  return {
    ...{ widget, mode, destroy },
    open: () => loaderApi()?.open(widget),
    close: () => loaderApi()?.close(widget),
    toggle: () => loaderApi()?.toggle(widget),
    identify: (identity) => loaderApi()?.identify(identity),
    on: (name, onEvent) => listen(widget, name, onEvent),
  };
}

function refusalOf(widget: string): string {
  return loaderApi()?.widgets?.has(widget)
    ? `The widget ${widget} is on this page already, by another script`
    : `The loader refused the options of the widget ${widget}: the console says why`;
}

/** Waits until the widget is on the page. Rejects if the API refuses it, and if it is removed. */
async function shown(widget: string, signal: AbortSignal): Promise<void> {
  let stops: (() => void)[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const refuse = () =>
        reject(new Error(`The API refused the widget ${widget} for this key on this page`));
      stops = [listen(widget, "ready", () => resolve()), listen(widget, "refused", refuse)];
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  } finally {
    stops.forEach((stop) => stop());
  }
}
