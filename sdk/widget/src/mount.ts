import { listen } from "./listen.ts";
import type { LoadedWidget } from "./loaded_widget.ts";
import { type Load, release, retain } from "./loads.ts";
import type { WidgetOptions } from "./options.ts";
import type { EventName, WidgetEvents } from "./page_api.ts";

const EVENTS: readonly EventName[] = [
  "ready",
  "refused",
  "open",
  "close",
  "unread",
  "message",
  "handoff",
  "unavailable",
  "destroy",
];

export interface MountOptions {
  onLoad: (widget: LoadedWidget) => void;
  /** There is no widget. */
  onError: (error: Error) => void;
  onEvent: <Name extends EventName>(name: Name, detail: WidgetEvents[Name]) => void;
}

/** Shows a widget until the returned function is called. */
export function mount(options: WidgetOptions, { onLoad, onError, onEvent }: MountOptions): () => void {
  let load: Load;
  try {
    load = retain(options);
  } catch (error) {
    onError(error as Error);
    return () => {};
  }
  let isMounted = true;
  const stops = EVENTS.map((name) => listen(load.widget, name, (detail) => onEvent(name, detail)));
  load.ready.then((widget) => isMounted && onLoad(widget), (error) => isMounted && onError(error));
  return () => {
    isMounted = false;
    stops.forEach((stop) => stop());
    release(load);
  };
}

/** Says in the console why there is no widget, where the page does not listen for that. */
export function warn({ message }: Error): void {
  // deno-lint-ignore no-console -- the page's developer reads this
  console.warn(`[outbound] ${message}`);
}
