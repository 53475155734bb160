/**
 * The chat in its iframe. Requests widget and visitor from the embedding page, then shows and runs the conversation.
 *
 * @module
 */
import { followAppearance, parseAppearance } from "../shared/appearance.ts";
import { directionOf, labelsIn } from "../shared/language.ts";
import { makeElement } from "../shared/page.ts";
import { type Fragment, readFragment } from "../shared/urls.ts";
import { warn } from "../shared/warn.ts";
import { createChatApi } from "./chat_api.ts";
import { throttleTyping } from "./composer.ts";
import { startConversation } from "./conversation.ts";
import { countUnread } from "./messages/count_unread.ts";
import { reportArrivals } from "./messages/report_arrivals.ts";
import { createChat } from "./create_chat.ts";
import { hasEarlier } from "./messages/message_log.ts";
import { parentOrigin, requestFromParent } from "./parent.ts";
import {
  type ChatWidget,
  type Customer,
  customerResponseSchema,
  pageResponseSchema,
  stateResponseSchema,
  type StoredState,
  updateSchema,
  widgetResponseSchema,
} from "./schemas.ts";
import { createParentStore } from "./stored.ts";
import { createTexts } from "./texts.ts";
import { saveText, transcriptOf } from "./transcript.ts";

interface ChatData {
  widget: ChatWidget;
  customer: Customer;
  state: StoredState;
  /** The origin of the embedding page. */
  origin: string;
  showClose: boolean;
}

async function start(): Promise<void> {
  const fragment = readFragment(location.hash);
  const origin = parentOrigin(fragment);
  if (origin === undefined) return showUnavailable(fragment, "it was opened outside of its page");
  const [widget, customer, state] = await Promise.all([
    requestFromParent({
      origin,
      type: "get_widget",
      parse: (data) => widgetResponseSchema.safeParse(data).data?.widget,
    }),
    requestFromParent({
      origin,
      type: "get_customer",
      parse: (data) => customerResponseSchema.safeParse(data).data?.customer,
    }),
    requestFromParent({
      origin,
      type: "get_state",
      parse: (data) => stateResponseSchema.safeParse(data).data?.state,
    }),
  ]);
  if (!widget || !customer || !state) return showUnavailable(fragment, "the embedding page does not respond");
  if (new URL(widget.base_url).origin !== origin) {
    return showUnavailable(fragment, "the embedding page is not the API's");
  }
  show({ widget, customer, state, origin, showClose: fragment.showClose });
}

/** A conversation opens without a page rather than late. */
const PAGE_TIMEOUT_MS = 1000;

function show({ widget, customer, state, origin, showClose }: ChatData): void {
  const { language } = widget;
  const texts = createTexts(widget.texts);
  // A visitor whose page is in the background has not seen what arrives.
  let isOpen = state.is_shown;
  const isShown = () => isOpen && !document.hidden;
  const post = (
    message: { type: string; count?: number; author?: string; name?: string; value?: string | null },
  ) => parent.postMessage(message, origin);
  function close(): void {
    if (!showClose) return;
    // A reply that arrives before the page has closed the chat is not seen.
    setOpen(false);
    post({ type: "outbound:close" });
  }
  const store = createParentStore(
    state.stored,
    (name, value) => post({ type: "outbound:store", name, value }),
  );
  const conversation = startConversation({
    api: createChatApi(widget),
    store,
    visitor: { userId: customer.user_id, language },
    consent: widget.consent,
    requestPage: async () => {
      const response = await requestFromParent({
        origin,
        type: "get_page",
        parse: (data) => pageResponseSchema.safeParse(data).data,
        timeoutMs: PAGE_TIMEOUT_MS,
      });
      return response?.page ?? undefined;
    },
    onChange: update,
  });
  const unread = countUnread({
    store,
    isShown: isShown(),
    onCount: (count) => post({ type: "outbound:unread", count }),
  });
  const updateArrivals = reportArrivals(({ author, notice }) => {
    post({ type: "outbound:message", author });
    if (notice === "person_requested") post({ type: "outbound:handoff" });
  });
  const sendTyping = throttleTyping((isTyping) => conversation.sendTyping(isTyping));
  const chat = createChat({
    texts,
    language,
    logo: widget.logo,
    showClose,
    features: widget.features,
    quickReplies: widget.quick_replies ?? [],
    onSend: (text, options) => conversation.send(text, options),
    onFile: (file) => conversation.sendFile(file),
    onEarlier: () => conversation.loadEarlier(),
    linkFile: (sequence) => conversation.linkFile(sequence),
    onTranscript: () => void saveTranscript().catch(() => {}),
    onTyping: (isTyping) => widget.features.typing && sendTyping(isTyping),
    onRetry: (id) => conversation.retry(id),
    onStartAnew: () => conversation.startAnew(),
    onAcceptConsent: () => conversation.acceptConsent(),
    asksRating: widget.features.rating,
    onRate: (rating) => conversation.rate(rating),
    openTimes: widget.open_times,
    askEmailAfterMinutes: widget.ask_email_after_minutes,
    onEmail: (email) => conversation.leaveEmail(email),
    onRequestPerson: (widget.assistant?.mode ?? "off") === "off" ? undefined : conversation.requestPerson,
    onClose: close,
  });
  Object.assign(document.documentElement, { lang: language, dir: directionOf(language) });
  document.title = widget.texts.title || widget.company_name;
  followAppearance(document.documentElement, parseAppearance(widget));
  document.body.replaceChildren(chat.element);
  chat.show(conversation.view());
  addEventListener("message", receive);
  document.addEventListener("visibilitychange", updateShown);
  addEventListener("keydown", (event) => event.key === "Escape" && !event.isComposing && close());
  for (const name of ["online", "offline"]) addEventListener(name, () => chat.show(conversation.view()));
  addEventListener("focus", () => document.activeElement === document.body && chat.focus());
  post({ type: "outbound:ready" });

  async function saveTranscript(): Promise<void> {
    while (hasEarlier(conversation.view().messages)) await conversation.loadEarlier();
    const { messages } = conversation.view();
    saveText(
      `${widget.company_name.replace(/[^\p{L}\p{N}]+/gu, "-")}.txt`,
      transcriptOf(messages, texts, language),
    );
  }

  function update(): void {
    const view = conversation.view();
    chat.show(view);
    unread.update(view);
    updateArrivals(view);
    markSeen();
  }

  function setOpen(value: boolean): void {
    isOpen = value;
    if (value) conversation.opened();
    updateShown();
  }

  function updateShown(): void {
    unread.setShown(isShown());
    markSeen();
  }

  function markSeen(): void {
    if (isShown()) conversation.markSeen();
  }

  function receive({ source, origin: from, data }: MessageEvent): void {
    const message = source === parent && from === origin ? updateSchema.safeParse(data).data : undefined;
    if (message?.type === "outbound:stored") {
      store.receive(message.name, message.value);
      if (message.name === "conversation") conversation.resume();
      update();
    } else if (message) setOpen(message.type === "outbound:shown");
  }
}

function showUnavailable({ language }: Fragment, reason: string): void {
  warn(`the chat cannot be shown: ${reason}`);
  const { unavailable } = labelsIn(language || navigator.language);
  document.body.replaceChildren(makeElement("p", { class: "unavailable", role: "alert" }, unavailable));
}

void start();
