import { createBubble } from "./create_bubble.ts";
import { createButton } from "./create_button.ts";
import { createCallBack } from "./call_back.ts";
import { createFullScreen } from "./full_screen.ts";
import { createPanel } from "./create_panel.ts";
import { createProactive } from "./proactive.ts";
import { createShell } from "./create_shell.ts";
import { describePage, emit, pageOrigin } from "./host_page.ts";
import { type FrameMessage, frameSource } from "./frame.ts";
import { openPageStore } from "./page_store.ts";
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
  readonly position: ButtonPosition;
  /** Changes its look and texts. */
  dress(theme: Theme): void;
  /** Moves it to this distance from its edge of the window, in pixels. */
  moveTo(offsetY: number): void;
  /** Forgets the conversation of a signed visitor, with all that it stores. */
  logOut(): void;
  /** Removes it from the page with everything that belongs to it. */
  destroy(): void;
}

/** For the case that neither API nor widget host had texts in the visitor's language. */
const TEXTS = { title: "", unavailable: "Not available right now", retry: "Try again", close: "Close" };

/** Returns the language of the page, or of the visitor. */
export function languageOf({ lang }: LoaderOptions): string {
  return lang ?? (document.documentElement.lang || navigator.language);
}

/**
 * Puts a widget's button on the page. The panel's content is loaded when the visitor opens it, or at once if a
 * conversation is active, so that the button counts new replies.
 */
export function createWidget(options: LoaderOptions, theme: Theme): Widget {
  const { mode, widget, showClose } = options;
  const language = languageOf(options);
  const texts = { ...TEXTS, newMessages: "" };
  const shell = createShell(options, language);
  const visitor = openVisitorState(options);
  const callBack = createCallBack();
  let position: ButtonPosition;
  let isOpen = false;
  let unread = 0;

  const button = createButton({
    mode,
    closable: showClose,
    onPress: () => isOpen && !showClose ? panel.enter({ takeFocus: true }) : toggle(),
  });
  const bubble = createBubble({ closeLabel: () => texts.close, onPress: () => open() });
  const proactive = createProactive(openPageStore(options), (message) => bubble.show(message));
  dress(theme);
  const fullScreen = createFullScreen(widget, shell.root, close);
  const panel = createPanel({
    texts,
    source: frameSource(options, pageOrigin()),
    allow: mode === "voice" ? "microphone; autoplay; screen-wake-lock" : "",
    closable: showClose,
    onMessage: receive,
    onClose: close,
    onUnavailable: () => emit("unavailable", options),
  });
  const unfollow = visitor.follow((name, value) => {
    if (name === "unread" && !isOpen) showUnread(visitor.unread());
    else panel.post({ type: "outbound:stored", name, value });
  });
  shell.root.append(bubble.element, button.element, panel.element);
  document.body.append(shell.host);
  if (globalThis.outbound?.identity === null) logOut();
  emit("ready", options);
  showUnread(visitor.unread());
  if (mode === "chat" && visitor.isActive()) panel.preload();

  function dress(changed: Theme): void {
    theme = changed;
    const text = (name: string) => typeof theme.texts[name] === "string" ? theme.texts[name] as string : "";
    const openLabel = text("open_label") || (mode === "chat" ? "Open the chat" : "Open the voice assistant");
    Object.assign(texts, {
      title: text("title") || openLabel,
      unavailable: text("unavailable") || TEXTS.unavailable,
      retry: text("retry") || TEXTS.retry,
      close: text("close_label") || TEXTS.close,
      newMessages: text("new_messages") || "+",
    });
    position = shell.dress(theme);
    button.dress({
      openLabel: options.label ?? openLabel,
      closeLabel: texts.close,
      newMessages: texts.newMessages,
      text: text("launcher_text"),
      icon: theme.icon,
    });
    proactive.plan(theme.proactive);
  }

  function showUnread(count: number): void {
    if (count === unread) return;
    if (count > unread && document.hidden) callBack(theme.features, `(${count}) ${texts.newMessages}`);
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
    if (value) {
      bubble.hide();
      proactive.rest();
    } else {
      panel.hide();
      fullScreen.leave();
    }
    shell.root.classList.toggle("open", value);
    button.setOpen(value);
    emit(value ? "open" : "close", options);
  }

  function open({ takeFocus = true } = {}): void {
    if (isOpen) return;
    setOpen(true);
    setUnread(0);
    panel.enter({ takeFocus });
    // A page that opens the widget by itself leaves the visitor's way back as it is.
    if (takeFocus && showClose) fullScreen.enter();
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
    if (message.type === "outbound:unread" && (!isOpen || document.hidden || message.count === 0)) {
      setUnread(message.count);
    }
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
    get position() {
      return position;
    },
    dress,
    logOut,
    moveTo: (offsetY) => shell.root.style.setProperty("--y", `${offsetY}px`),
    destroy() {
      unfollow();
      proactive.stop();
      fullScreen.destroy();
      panel.destroy();
      shell.destroy();
      emit("destroy", { mode, widget });
    },
  };
}
