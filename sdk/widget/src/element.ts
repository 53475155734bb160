/**
 * The widget as an element of HTML.
 *
 * @module
 */
import { mount, warn } from "./mount.ts";
import type { WidgetOptions } from "./options.ts";
import type { EventName, WidgetEvents } from "./page_api.ts";

const ATTRIBUTES = [
  "host",
  "widget",
  "customer",
  "mode",
  "lang",
  "show-close",
  "open",
  "position",
  "label",
  "color",
  "api",
] as const;

type ElementEvents = { [Name in EventName as `outbound:${Name}`]: CustomEvent<WidgetEvents[Name]> };

/** `<outbound-widget>`, which dispatches the events of its widget. */
export interface OutboundElement extends HTMLElement {
  addEventListener<Name extends keyof ElementEvents>(
    name: Name,
    listener: (event: ElementEvents[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    name: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "outbound-widget": OutboundElement;
  }
}

/**
 * Makes `<outbound-widget host widget customer>` an element that shows a widget as long as it is in the document. Its
 * attributes are the options of `loadOutbound()`. Does nothing on a server, and when called again.
 */
export function defineOutboundElement(name = "outbound-widget"): void {
  if (typeof customElements === "undefined" || customElements.get(name)) return;
  customElements.define(name, makeElementClass());
}

/** Servers have no HTMLElement that a class at the top of this file could extend. */
function makeElementClass(): CustomElementConstructor {
  return class extends HTMLElement {
    static observedAttributes = ATTRIBUTES;
    #unmount: (() => void) | undefined;
    #isWaiting = false;

    connectedCallback() {
      this.#update();
    }

    disconnectedCallback() {
      this.#update();
    }

    attributeChangedCallback() {
      this.#update();
    }

    /** Once, after several attributes were changed. */
    #update() {
      if (this.#isWaiting) return;
      this.#isWaiting = true;
      queueMicrotask(() => {
        this.#isWaiting = false;
        const unmount = this.#unmount;
        this.#unmount = this.isConnected ? mountFor(this) : undefined;
        unmount?.();
      });
    }
  };
}

function mountFor(element: HTMLElement): () => void {
  return mount(optionsOf(element), {
    onLoad() {},
    onError: warn,
    onEvent: (name, detail) => void element.dispatchEvent(new CustomEvent(`outbound:${name}`, { detail })),
  });
}

function optionsOf(element: HTMLElement): WidgetOptions {
  const value = (name: typeof ATTRIBUTES[number]) => element.getAttribute(name) ?? undefined;
  const flag = (name: "show-close" | "open") =>
    element.hasAttribute(name) ? value(name) !== "false" : undefined;
  return {
    host: value("host") ?? "",
    widget: value("widget") ?? "",
    customer: value("customer") ?? "",
    mode: value("mode") as WidgetOptions["mode"],
    lang: value("lang"),
    showClose: flag("show-close"),
    open: flag("open"),
    position: value("position") as WidgetOptions["position"],
    label: value("label"),
    color: value("color"),
    api: value("api"),
    // Browsers hide the attribute.
    nonce: element.nonce,
  };
}
