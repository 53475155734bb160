import { drawIcon, makeElement, makeIcon, makeLogo, SEND_ICON } from "../shared/page.ts";
import { createOrb } from "./orb.ts";
import type { VoiceWidget } from "./schemas.ts";
import { createTranscript, type Transcript } from "./transcript.ts";
import type { View } from "./view.ts";
import type { Action } from "./voice_state.ts";

export interface ScreenOptions {
  widget: VoiceWidget;
  closable: boolean;
  onAction: (action: Action) => void;
  onWrite: (text: string) => void;
  onClose: () => void;
}

export interface Screen {
  element: HTMLElement;
  transcript: Transcript;
  show(view: View, level?: () => number): void;
  /** Shows an element below the transcript, such as the feedback form; undefined removes it. */
  setExtra(element: HTMLElement | undefined): void;
  /** Moves the keyboard focus to the text field. */
  focusComposer(): void;
}

const ACTIONS: Action[] = [
  "start",
  "again",
  "retry",
  "write_instead",
  "mute",
  "unmute",
  "handoff",
  "handoff_back",
  "end",
  "handoff_end",
];
const PRIMARY = new Set<Action>(["start", "again", "retry", "handoff_back"]);
const ENDING = new Set<Action>(["end", "handoff_end"]);
const MAX_MESSAGE_LENGTH = 2000;

/** Makes the page of a voice widget. Elements are made once and then shown or hidden, which keeps the focus. */
export function createScreen(options: ScreenOptions): Screen {
  const { widget: { texts, animation, features }, onAction } = options;
  const text = (name: string) => texts[name] ?? "";
  const orb = createOrb(animation);
  const transcript = createTranscript(texts);
  const status = makeElement("p", { class: "status" });
  const announced = makeElement("p", { class: "unseen", role: "status" });
  const problem = makeElement("p", { class: "alert", role: "alert" });
  const extra = makeElement("div", { class: "extra" });
  const buttons = new Map(ACTIONS.map((action) => [action, makeButton(action, text(action), onAction)]));
  const composer = createComposer(text, options.onWrite);
  const main = makeElement(
    "main",
    { tabindex: "-1" },
    orb.element,
    status,
    announced,
    problem,
    ...(features.transcript || features.text_input ? [transcript.element] : []),
    extra,
  );
  const actions = makeElement("div", { class: "actions" }, ...buttons.values());
  const footer = makeElement("footer", {}, actions, composer);
  const element = makeElement("div", { class: "voice" }, header(options), main, footer);

  return {
    element,
    transcript,
    show(view, level) {
      const hadFocus = actions.contains(document.activeElement);
      orb.show(view.mood, level);
      status.textContent = view.status;
      if (view.announce) announced.textContent = view.status;
      problem.textContent = view.problem;
      element.classList.toggle("busy", view.composer || view.actions.includes("end"));
      for (const [action, button] of buttons) button.hidden = !view.actions.includes(action);
      composer.hidden = !view.composer;
      // If the focused button was hidden, the focus moves to the first one.
      if (hadFocus && !isShown(document.activeElement)) firstOf(view, buttons)?.focus();
    },
    setExtra(content) {
      const hadFocus = extra.contains(document.activeElement);
      extra.replaceChildren(...(content ? [content] : []));
      if (hadFocus) main.focus();
    },
    focusComposer: () => composer.querySelector("input")?.focus(),
  };
}

function header({ widget: { texts, logo }, closable, onClose }: ScreenOptions): HTMLElement {
  const title = makeElement("h1", {}, texts.title ?? "");
  const titles = makeElement("div", {}, title);
  if (texts.subtitle) titles.append(makeElement("p", {}, texts.subtitle));
  const close = makeElement("button", {
    type: "button",
    class: "icon-button",
    "aria-label": texts.close_label ?? "",
  });
  close.append(makeIcon("close"));
  close.addEventListener("click", onClose);
  const picture = makeLogo(logo);
  return makeElement("header", {}, ...(picture ? [picture] : []), titles, ...(closable ? [close] : []));
}

function makeButton(action: Action, label: string, onAction: (action: Action) => void): HTMLButtonElement {
  const look = PRIMARY.has(action) ? "primary" : ENDING.has(action) ? "ending" : "plain";
  const button = makeElement(
    "button",
    { type: "button", class: look, hidden: true, "data-action": action },
    label,
  );
  button.addEventListener("click", () => onAction(action));
  return button;
}

function createComposer(text: (name: string) => string, onWrite: (text: string) => void): HTMLFormElement {
  const input = makeElement("input", {
    type: "text",
    autocomplete: "off",
    dir: "auto",
    maxlength: MAX_MESSAGE_LENGTH,
    placeholder: text("placeholder"),
    "aria-label": text("placeholder"),
  });
  const send = makeElement("button", {
    type: "submit",
    class: "icon-button primary",
    "aria-label": text("send"),
  });
  send.append(drawIcon(SEND_ICON));
  const form = makeElement("form", { class: "composer", hidden: true }, input, send);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const written = input.value.trim();
    if (written === "") return;
    input.value = "";
    onWrite(written);
  });
  return form;
}

function firstOf(view: View, buttons: Map<Action, HTMLButtonElement>): HTMLButtonElement | undefined {
  const first = view.actions[0];
  return first === undefined ? undefined : buttons.get(first);
}

function isShown(element: Element | null): boolean {
  return element !== null && element !== document.body && element.checkVisibility();
}
