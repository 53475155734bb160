/** The kinds of widgets. */
export type Mode = "chat" | "voice";

/**
 * `window.outbound`, with which a page controls its widgets. `name` is a widget's id, or `chat` or `voice` for the first
 * widget of that kind in the document; without a name, it is the first widget in the document.
 */
export interface PageApi {
  open(name?: string): void;
  close(name?: string): void;
  toggle(name?: string): void;
  /** Without a name: all widgets. */
  destroy(name?: string): void;
  /**
   * Says who the visitor is, as the website's server has signed it; null after a log-out. Chats that begin afterwards, or
   * go on when the page is loaded, belong to that person.
   */
  identify(identity: unknown): void;
}

/** A message's author: the visitor, the company, or the service itself. */
export type MessageAuthor = "visitor" | "operator" | "system";

/** The widget that an event is about. */
export interface WidgetDetail {
  /** Its id. */
  widget: string;
  mode: Mode;
}

/** The `detail` of each event of a widget, by the event's name. */
export interface WidgetEvents {
  /** The button is on the page. */
  ready: WidgetDetail;
  /** The API refused the widget for this key on this page: none is shown. */
  refused: WidgetDetail;
  /** The widget was opened. */
  open: WidgetDetail;
  /** The widget was closed. */
  close: WidgetDetail;
  /** The number of unread messages changed to `count`, which is above 0. */
  unread: WidgetDetail & { count: number };
  /** A message arrived in the chat while the page was open. Its text stays in the chat. */
  message: WidgetDetail & { author: MessageAuthor };
  /** The visitor is handed over to a person. */
  handoff: WidgetDetail;
  /** The opened widget could not be loaded; its panel offers a retry. */
  unavailable: WidgetDetail;
  /** The widget was removed. */
  destroy: WidgetDetail;
}

/** The name of an event, which the loader dispatches on `window` as `outbound:<name>`. */
export type EventName = keyof WidgetEvents;
