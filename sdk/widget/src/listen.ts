import type { EventName, WidgetEvents } from "./page_api.ts";

/** Listens to one event of one widget on `window`. Returns a function that stops it. */
export function listen<Name extends EventName>(
  widget: string,
  name: Name,
  onEvent: (detail: WidgetEvents[Name]) => void,
): () => void {
  const receive = (event: Event) => {
    const { detail } = event as CustomEvent<WidgetEvents[Name]>;
    if (detail?.widget === widget) onEvent(detail);
  };
  addEventListener(`outbound:${name}`, receive);
  return () => removeEventListener(`outbound:${name}`, receive);
}
