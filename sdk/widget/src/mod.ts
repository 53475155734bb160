/**
 * Loads widgets of outbound: chats and voice assistants for a website.
 *
 * @module
 */
import type { LoadedWidget } from "./loaded_widget.ts";
import { retain } from "./loads.ts";
import type { WidgetOptions } from "./options.ts";
import type { EventName, PageApi, WidgetEvents } from "./page_api.ts";

export type { LoadedWidget } from "./loaded_widget.ts";
export type { WidgetOptions } from "./options.ts";
export type { EventName, MessageAuthor, Mode, PageApi, WidgetDetail, WidgetEvents } from "./page_api.ts";

/**
 * Puts a widget on the page and returns it once its button is there. A second call with the same options returns the same
 * widget; one with other options replaces it. On a server it does nothing and returns undefined.
 *
 * @throws {TypeError} for an option that no widget can be shown with
 * @throws {Error} if the loader cannot be loaded, or the API refuses the widget
 */
export async function loadOutbound(options: WidgetOptions): Promise<LoadedWidget | undefined> {
  return typeof document === "undefined" ? undefined : await retain(options).ready;
}

type WindowEvents = { [Name in EventName as `outbound:${Name}`]: CustomEvent<WidgetEvents[Name]> };

declare global {
  interface WindowEventMap extends WindowEvents {}
  interface Window {
    /** Controls the widgets of this page; undefined until the loader has run. */
    outbound?: PageApi;
  }
}
