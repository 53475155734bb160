"use client";
/**
 * The widget as a React component, for React 18 and later.
 *
 * @module
 */
import { useEffect, useRef } from "react";
import type { LoadedWidget } from "./loaded_widget.ts";
import { mount, warn } from "./mount.ts";
import { attributesOf, type WidgetOptions } from "./options.ts";
import type { EventName, WidgetEvents } from "./page_api.ts";

/** The handler of each event. */
type Handlers = {
  [Name in EventName as `on${Capitalize<Name>}`]?: ((detail: WidgetEvents[Name]) => void) | undefined;
};

export interface OutboundWidgetProps extends WidgetOptions, Handlers {
  /** The widget is on the page. */
  onLoad?: ((widget: LoadedWidget) => void) | undefined;
  /** There is no widget. @default a line in the browser's console */
  onError?: ((error: Error) => void) | undefined;
}

/**
 * Shows a widget as long as it is mounted. It renders nothing where it stands: the button and the panel are fixed to the
 * window.
 */
export function OutboundWidget(props: OutboundWidgetProps): null {
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  const key = JSON.stringify([props.host, attributesOf(props), props.identity]);
  useEffect(() =>
    mount(props, {
      onLoad: (widget) => latest.current.onLoad?.(widget),
      onError: (error) => (latest.current.onError ?? warn)(error),
      onEvent(name, detail) {
        const handlers = latest.current as Record<string, ((detail: unknown) => void) | undefined>;
        handlers[`on${name[0]!.toUpperCase()}${name.slice(1)}`]?.(detail);
      },
    }), [key]);
  return null;
}
