import { drawIcon, makeElement } from "../shared/page.ts";
import { closeButton } from "./close_button.ts";
import type { PageDescription } from "./host_page.ts";
import { type FrameMessage, parseFrameMessage } from "./frame.ts";

/** The panel's texts; what is shown later has them as they are then. */
export interface PanelTexts {
  title: string;
  unavailable: string;
  retry: string;
  close: string;
}

export interface PanelOptions {
  texts: PanelTexts;
  /** The address of the page in the iframe. */
  source: string;
  /** The iframe's `allow`. */
  allow: string;
  /** Whether the visitor may close it. */
  closable: boolean;
  onMessage: (message: FrameMessage) => void;
  onClose: () => void;
  onUnavailable: () => void;
}

export interface Panel {
  element: HTMLElement;
  /** Shows the page and loads it if needed; `takeFocus` moves the keyboard focus into it. */
  enter(how: { takeFocus: boolean }): void;
  hide(): void;
  /** Loads the page without showing it, before anything else is done. */
  preload(): void;
  /** Sends a message to the page, at its exact origin; drops it if the page has not sent any yet. */
  post(message: PanelMessage): void;
  destroy(): void;
}

/** The messages that the loader sends to the page in the iframe. */
export type PanelMessage =
  | { type: "outbound:focus" | "outbound:shown" | "outbound:hidden" }
  | { type: "outbound:state"; state: { stored: Record<string, string>; is_shown: boolean } }
  | { type: "outbound:page"; page: PageDescription }
  | { type: "outbound:stored"; name: string; value: string | null };

/** A page reports at once after loading. If it has not after this time, it is an error page. */
const AFTER_LOAD_MS = 2500;
const TIMEOUT_MS = 20_000;

/**
 * Makes the panel with the widget's iframe, which it loads on the first `enter` or `preload`. It accepts messages only
 * from that iframe's window and origin. When the page cannot be loaded, the panel says so and offers a retry.
 */
export function createPanel(options: PanelOptions): Panel {
  const element = makeElement("section", { class: "panel away", "aria-label": options.texts.title });
  const origin = new URL(options.source).origin;
  let frame: HTMLIFrameElement | undefined;
  let timer: number | undefined;
  let hasReported = false;
  let isReady = false;
  let wantsFocus = false;
  let wasPreloaded = false;

  const isShown = () => !element.classList.contains("away");

  function load(): void {
    hasReported = isReady = wasPreloaded = false;
    const { source: src, allow, texts: { title } } = options;
    frame = makeElement("iframe", { title, allow, referrerpolicy: "no-referrer", class: "loading" });
    frame.addEventListener("load", () => isReady || failAfter(AFTER_LOAD_MS));
    frame.src = src;
    // The panel may cover the button.
    const out = options.closable ? [closeButton("out", options.texts.close, options.onClose)] : [];
    element.replaceChildren(loadingIcon(), frame, ...out);
    failAfter(TIMEOUT_MS);
  }

  function failAfter(milliseconds: number): void {
    clearTimeout(timer);
    timer = setTimeout(fail, milliseconds);
  }

  function fail(): void {
    frame = undefined;
    // The page was only preloaded: the next `enter` loads it again.
    if (!isShown()) return element.replaceChildren();
    // The visitor has waited for the first time, and the service may be back.
    if (wasPreloaded) return load();
    element.replaceChildren(unavailableNote(options, load));
    options.onUnavailable();
  }

  function post(message: PanelMessage): void {
    if (hasReported) frame?.contentWindow?.postMessage(message, origin);
  }

  function listen(event: MessageEvent): void {
    if (!frame || event.source !== frame.contentWindow || event.origin !== origin) return;
    const message = parseFrameMessage(event.data);
    if (!message) return;
    hasReported = true;
    if (message.type === "outbound:ready") arrive();
    options.onMessage(message);
  }

  function arrive(): void {
    clearTimeout(timer);
    isReady = true;
    frame!.classList.remove("loading");
    for (const each of element.querySelectorAll(".wait, .out")) each.remove();
    if (isShown()) post({ type: "outbound:shown" });
    if (isShown() && wantsFocus) focus();
  }

  /** Lets the page move the focus on: the web view passes it to the iframe inside it. */
  function focus(): void {
    frame!.focus();
    post({ type: "outbound:focus" });
  }

  addEventListener("message", listen);
  return {
    element,
    enter({ takeFocus }) {
      wantsFocus = takeFocus;
      element.classList.remove("away");
      if (!frame) return load();
      post({ type: "outbound:shown" });
      if (isReady && takeFocus) focus();
    },
    hide() {
      element.classList.add("away");
      // The voice widget switches the microphone off.
      post({ type: "outbound:hidden" });
    },
    preload() {
      load();
      wasPreloaded = true;
    },
    post,
    destroy() {
      clearTimeout(timer);
      removeEventListener("message", listen);
      element.remove();
    },
  };
}

/** Three dots. */
function loadingIcon(): Element {
  const icon = drawIcon(["M5 12h.01", "M12 12h.01", "M19 12h.01"]);
  icon.classList.add("wait");
  return icon;
}

function unavailableNote({ texts, closable, onClose }: PanelOptions, retry: () => void): HTMLElement {
  const again = makeElement("button", { type: "button" }, texts.retry);
  again.addEventListener("click", retry);
  const close = makeElement("button", { type: "button", class: "plain" }, texts.close);
  close.addEventListener("click", onClose);
  const text = makeElement("p", { role: "alert" }, texts.unavailable);
  return makeElement("div", { class: "note" }, text, again, ...(closable ? [close] : []));
}
