import { createButton, openLabelIn } from "./create_button.ts";
import { createPanel } from "./create_panel.ts";
import { createShell } from "./create_shell.ts";
import { describePage, emit, pageOrigin } from "./host_page.ts";
import { type FrameMessage, frameSource } from "./frame.ts";
import { labelsIn } from "../shared/language.ts";
import type { Theme } from "./theme.ts";
import { openVisitorState } from "./visitor_state.ts";
import type { LoaderOptions } from "./options.ts";
import type { ButtonPosition } from "./position.ts";

/** One widget on the page. */
export interface Widget {
  /** `takeFocus: false` leaves the keyboard focus in place, when the visitor did not open the widget. */
  open(how?: { takeFocus?: boolean }): void;
  close(): void;
  toggle(): void;
  /** Its configured position. */
  position: ButtonPosition;
  /** Moves it to this distance from its edge of the window, in pixels. */
  moveTo(offsetY: number): void;
  /** Forgets the conversation of a signed visitor, with all that it stores. */
  logOut(): void;
  /** Removes it from the page with everything that belongs to it. */
  destroy(): void;
}

/**
 * Puts a widget's button on the page. The panel's content is loaded when the visitor opens it, or at once if a
 * conversation is active, so that the button counts new replies.
 */
export function createWidget(options: LoaderOptions, theme: Theme): Widget {
  const { mode, widget, showClose } = options;
  const language = options.lang ?? (document.documentElement.lang || navigator.language);
  const text = (name: string) =>
    typeof theme.texts[name] === "string" ? theme.texts[name] as string : undefined;
  const builtIn = labelsIn(language);
  const builtInOpenLabel = openLabelIn(language, mode);
  const closeLabel = text("close_label") ?? builtIn.close;
  const shell = createShell(options, theme, language);
  const visitor = openVisitorState(options);
  let isOpen = false;
  let unread = 0;

  const button = createButton({
    mode,
    openLabel: options.label ?? text("open_label") ?? builtInOpenLabel,
    closeLabel,
    newMessages: text("new_messages") ?? "+",
    closable: showClose,
    onPress: () => isOpen && !showClose ? panel.enter({ takeFocus: true }) : toggle(),
  });
  const panel = createPanel({
    title: text("title") || builtInOpenLabel,
    source: frameSource(options, pageOrigin()),
    allow: mode === "voice" ? "microphone; autoplay; screen-wake-lock" : "",
    texts: {
      unavailable: text("unavailable") ?? builtIn.unavailable,
      retry: builtIn.retry,
      close: closeLabel,
    },
    closable: showClose,
    onMessage: receive,
    onClose: close,
    onUnavailable: () => emit("unavailable", options),
  });
  const unfollow = visitor.follow((name, value) => {
    if (name === "unread" && !isOpen) showUnread(visitor.unread());
    else panel.post({ type: "outbound:stored", name, value });
  });
  shell.root.append(button.element, panel.element);
  document.body.append(shell.host);
  if (globalThis.outbound?.identity === null) logOut();
  emit("ready", options);
  showUnread(visitor.unread());
  if (mode === "chat" && visitor.isActive()) panel.preload();

  function showUnread(count: number): void {
    if (count === unread) return;
    unread = count;
    button.setUnread(count);
    if (count > 0) emit("unread", options, { count });
  }

  function setUnread(count: number): void {
    visitor.setUnread(count);
    showUnread(count);
  }

  function setOpen(value: boolean): void {
    isOpen = value;
    if (!value) panel.hide();
    shell.root.classList.toggle("open", value);
    button.setOpen(value);
    emit(value ? "open" : "close", options);
  }

  function open({ takeFocus = true } = {}): void {
    if (isOpen) return;
    setOpen(true);
    setUnread(0);
    panel.enter({ takeFocus });
  }

  function logOut(): void {
    if (!visitor.isSigned()) return;
    for (const name of Object.keys(visitor.values())) {
      visitor.store(name, null);
      panel.post({ type: "outbound:stored", name, value: null });
    }
    showUnread(0);
  }

  function close(): void {
    if (!isOpen) return;
    // Returns the focus to the button, if it was in the panel. This must happen before the panel is hidden, because
    // browsers move the focus of a hidden element to an element of their choice.
    if (shell.host.shadowRoot?.activeElement) button.element.focus();
    setOpen(false);
  }

  function toggle(): void {
    if (isOpen) close();
    else open();
  }

  function receive(message: FrameMessage): void {
    if (message.type === "outbound:close" && showClose) close();
    if (message.type === "outbound:unread" && !isOpen) setUnread(message.count);
    if (message.type === "outbound:message") emit("message", options, { author: message.author });
    if (message.type === "outbound:handoff") emit("handoff", options);
    if (message.type === "outbound:store") visitor.store(message.name, message.value);
    if (message.type === "outbound:get_page") panel.post({ type: "outbound:page", page: describePage() });
    if (message.type !== "outbound:get_state") return;
    panel.post({ type: "outbound:state", state: { stored: visitor.values(), is_shown: isOpen } });
  }

  return {
    open,
    close,
    toggle,
    position: shell.position,
    logOut,
    moveTo: (offsetY) => shell.root.style.setProperty("--y", `${offsetY}px`),
    destroy() {
      unfollow();
      panel.destroy();
      shell.host.remove();
      emit("destroy", { mode, widget });
    },
  };
}
