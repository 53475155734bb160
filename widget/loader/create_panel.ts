import { makeElement } from "../shared/make_element.ts";
import type { PageDescription } from "./describe_page.ts";
import { type FrameMessage, parseFrameMessage } from "./frame_message.ts";

export interface PanelOptions {
  title: string;
  /** The address of the page in the iframe. */
  source: string;
  /** What the page may use, as the iframe's `allow`. */
  allow: string;
  texts: { unavailable: string; retry: string; close: string };
  /** Whether the visitor may close it. */
  closable: boolean;
  onMessage: (message: FrameMessage) => void;
  onClose: () => void;
  onUnavailable: () => void;
}

export interface Panel {
  element: HTMLElement;
  /** Loads the page if it is not there yet, shows it, and takes the keyboard to it unless it should stay. */
  enter(how: { takeFocus: boolean }): void;
  hide(): void;
  /** Loads the page without showing it. */
  preload(): void;
  /** Sends a message to the page, at its exact origin; nothing is sent before the page has said something. */
  post(message: PanelMessage): void;
  destroy(): void;
}

/** What the loader says to the page in the iframe. */
export type PanelMessage =
  | { type: "outbound:focus" | "outbound:shown" | "outbound:hidden" }
  | { type: "outbound:state"; state: { stored: Record<string, string>; is_shown: boolean } }
  | { type: "outbound:page"; page: PageDescription }
  | { type: "outbound:stored"; name: string; value: string | null };

/** A page that has loaded says so at once; one that has not after this long is an error page of some kind. */
const AFTER_LOAD_MS = 2500;
const PATIENCE_MS = 20_000;

/**
 * The panel with the widget's iframe, which is made on the first `enter`. Listens to that iframe's window and origin
 * only. When the page does not come, the panel says so and offers to try again.
 */
export function createPanel(options: PanelOptions): Panel {
  const element = makeElement("section", { class: "panel away", "aria-label": options.title });
  const origin = new URL(options.source).origin;
  let frame: HTMLIFrameElement | undefined;
  let timer: number | undefined;
  let isHeard = false;
  let isReady = false;
  let wantsFocus = false;

  const isShown = () => !element.classList.contains("away");

  function load(): void {
    [isHeard, isReady] = [false, false];
    const { source: src, allow, title } = options;
    frame = makeElement("iframe", { title, allow, referrerpolicy: "no-referrer", class: "loading" });
    frame.addEventListener("load", () => isReady || giveUpIn(AFTER_LOAD_MS));
    frame.src = src;
    element.replaceChildren(waiting(), frame);
    giveUpIn(PATIENCE_MS);
  }

  function giveUpIn(milliseconds: number): void {
    clearTimeout(timer);
    timer = setTimeout(giveUp, milliseconds);
  }

  function giveUp(): void {
    frame = undefined;
    // Nobody asked for a page that was only loaded beforehand; it is loaded again when somebody does.
    if (!isShown()) return element.replaceChildren();
    element.replaceChildren(note(options, load));
    options.onUnavailable();
  }

  function post(message: PanelMessage): void {
    if (isHeard) frame?.contentWindow?.postMessage(message, origin);
  }

  function listen(event: MessageEvent): void {
    if (!frame || event.source !== frame.contentWindow || event.origin !== origin) return;
    const message = parseFrameMessage(event.data);
    if (!message) return;
    isHeard = true;
    if (message.type === "outbound:ready") arrive();
    options.onMessage(message);
  }

  function arrive(): void {
    clearTimeout(timer);
    isReady = true;
    frame!.classList.remove("loading");
    element.querySelector(".wait")?.remove();
    if (isShown()) post({ type: "outbound:shown" });
    if (isShown() && wantsFocus) focus();
  }

  /** The page in the iframe may have one of its own that the keyboard belongs into. */
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
      // Nobody is listened to by a widget they have closed.
      post({ type: "outbound:hidden" });
    },
    preload: () => frame ?? load(),
    post,
    destroy() {
      clearTimeout(timer);
      removeEventListener("message", listen);
      element.remove();
    },
  };
}

function waiting(): Element {
  const svg = "http://www.w3.org/2000/svg";
  const icon = document.createElementNS(svg, "svg");
  icon.setAttribute("class", "wait");
  icon.setAttribute("viewBox", "0 0 24 24");
  icon.setAttribute("aria-hidden", "true");
  for (const cx of ["5", "12", "19"]) {
    const dot = document.createElementNS(svg, "circle");
    for (const [name, value] of Object.entries({ cx, cy: "12", r: "2.5", fill: "currentColor" })) {
      dot.setAttribute(name, value);
    }
    icon.append(dot);
  }
  return icon;
}

function note({ texts, closable, onClose }: PanelOptions, retry: () => void): HTMLElement {
  const again = makeElement("button", { type: "button" }, texts.retry);
  again.addEventListener("click", retry);
  const close = makeElement("button", { type: "button", class: "plain" }, texts.close);
  close.addEventListener("click", onClose);
  const text = makeElement("p", { role: "alert" }, texts.unavailable);
  return makeElement("div", { class: "note" }, text, again, ...(closable ? [close] : []));
}
