import { createButton } from "./create_button.ts";
import { createPanel } from "./create_panel.ts";
import { createShell } from "./create_shell.ts";
import { describePage } from "./describe_page.ts";
import { emit } from "./emit.ts";
import type { FrameMessage } from "./frame_message.ts";
import { frameSource } from "./frame_source.ts";
import { labelsIn } from "../shared/labels.ts";
import type { Look } from "./look.ts";
import { openVisitorState } from "./visitor_state.ts";
import type { LoaderOptions } from "./options.ts";
import type { Place } from "./place.ts";

/** One widget on the page. */
export interface Widget {
  /** `takeFocus: false` leaves the keyboard where it is: nobody asked for the widget. */
  open(how?: { takeFocus?: boolean }): void;
  close(): void;
  toggle(): void;
  /** Where it is configured to be. */
  place: Place;
  /** Moves it to so many pixels from its edge of the window. */
  moveTo(offsetY: number): void;
  /** Takes it off the page with everything that belongs to it. */
  destroy(): void;
}

/**
 * Puts a widget's button on the page. What it opens is loaded when somebody opens it, or at once where a conversation is
 * going on, so that its answers are counted.
 */
export function createWidget(options: LoaderOptions, look: Look): Widget {
  const { mode, widget, showClose } = options;
  const language = options.lang ?? (document.documentElement.lang || navigator.language);
  const text = (name: string) =>
    typeof look.texts[name] === "string" ? look.texts[name] as string : undefined;
  const own = labelsIn(language, mode);
  const closeLabel = text("close_label") ?? own.close;
  const shell = createShell(options, look, language);
  const visitor = openVisitorState(options);
  let isOpen = false;
  let unread = 0;

  const button = createButton({
    mode,
    openLabel: options.label ?? text("open_label") ?? own.open,
    closeLabel,
    newMessages: text("new_messages") ?? "+",
    closable: showClose,
    onPress: () => isOpen && !showClose ? panel.enter({ takeFocus: true }) : toggle(),
  });
  const panel = createPanel({
    title: text("title") || own.open,
    source: frameSource(options),
    allow: mode === "voice" ? "microphone; autoplay; screen-wake-lock" : "",
    texts: { unavailable: text("unavailable") ?? own.unavailable, retry: own.retry, close: closeLabel },
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
  emit("ready", options);
  showUnread(visitor.unread());
  if (mode === "chat" && visitor.isGoingOn()) panel.preload();

  function showUnread(count: number): void {
    if (count === unread) return;
    unread = count;
    button.setUnread(count);
    if (count > 0) emit("unread", options, count);
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

  function close(): void {
    if (!isOpen) return;
    // Whoever was in the panel goes on where they came in; whoever was elsewhere on the page stays there. Before the
    // panel is hidden: a browser that loses what had the focus puts it somewhere of its own choice.
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
    if (message.type === "outbound:store") visitor.store(message.name, message.value);
    if (message.type === "outbound:get_page") panel.post({ type: "outbound:page", page: describePage() });
    if (message.type !== "outbound:get_state") return;
    panel.post({ type: "outbound:state", state: { stored: visitor.values(), is_shown: isOpen } });
  }

  return {
    open,
    close,
    toggle,
    place: shell.place,
    moveTo: (offsetY) => shell.root.style.setProperty("--y", `${offsetY}px`),
    destroy() {
      unfollow();
      panel.destroy();
      shell.host.remove();
      emit("destroy", { mode, widget });
    },
  };
}
