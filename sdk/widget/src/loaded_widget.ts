import type { EventName, Mode, WidgetEvents } from "./page_api.ts";

/** A widget on the page. */
export interface LoadedWidget {
  /** Its id. */
  readonly widget: string;
  readonly mode: Mode;
  open(): void;
  close(): void;
  toggle(): void;
  /** Says who the visitor is, as your server has signed it; null after a log-out. Applies to all widgets of the page. */
  identify(identity: unknown): void;
  /** Listens to an event of this widget. Returns a function that stops it. */
  on<Name extends EventName>(name: Name, onEvent: (detail: WidgetEvents[Name]) => void): () => void;
  /** Removes it from the page. */
  destroy(): void;
}
