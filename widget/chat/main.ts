/**
 * The chat in its iframe. Asks the page around it who it is and who is writing, shows the conversation and keeps it going.
 *
 * @module
 */
import { applyColors, parseColors } from "../shared/apply_colors.ts";
import { askParent } from "../shared/ask_parent.ts";
import { directionOf } from "../shared/direction_of.ts";
import { labelsIn } from "../shared/labels.ts";
import { makeElement } from "../shared/make_element.ts";
import { type Fragment, readFragment } from "../shared/read_fragment.ts";
import { warn } from "../shared/warn.ts";
import { createChatApi } from "./chat_api.ts";
import { startConversation } from "./conversation.ts";
import { countUnread } from "./count_unread.ts";
import { createChat } from "./create_chat.ts";
import { findParent } from "./find_parent.ts";
import { createParentStore } from "./parent_store.ts";
import {
  type ChatWidget,
  type Customer,
  customerAnswerSchema,
  pageAnswerSchema,
  stateAnswerSchema,
  type StoredState,
  updateSchema,
  widgetAnswerSchema,
} from "./schemas.ts";
import { createTypingTeller } from "./tell_typing.ts";
import { createTexts } from "./texts.ts";

interface Facts {
  widget: ChatWidget;
  customer: Customer;
  state: StoredState;
  /** The origin of the page around this one. */
  origin: string;
  showClose: boolean;
}

async function start(): Promise<void> {
  const fragment = readFragment(location.hash);
  const origin = findParent(fragment);
  if (origin === undefined) return showUnavailable(fragment, "it was opened outside of its page");
  const ask = { window: parent, origin };
  const [widget, customer, state] = await Promise.all([
    askParent({
      ...ask,
      type: "get_widget",
      parse: (data) => widgetAnswerSchema.safeParse(data).data?.widget,
    }),
    askParent({
      ...ask,
      type: "get_customer",
      parse: (data) => customerAnswerSchema.safeParse(data).data?.customer,
    }),
    askParent({
      ...ask,
      type: "get_state",
      parse: (data) => stateAnswerSchema.safeParse(data).data?.state,
    }),
  ]);
  if (!widget || !customer || !state) return showUnavailable(fragment, "the page around it says nothing");
  if (new URL(widget.base_url).origin !== origin) {
    return showUnavailable(fragment, "the page around it is not the API's");
  }
  show({ widget, customer, state, origin, showClose: fragment.showClose });
}

/** A conversation is opened without its page rather than late. */
const PAGE_TIMEOUT_MS = 1000;

function show({ widget, customer, state, origin, showClose }: Facts): void {
  const { language } = widget;
  const tell = (message: { type: string; count?: number; name?: string; value?: string | null }) =>
    parent.postMessage(message, origin);
  const close = () => showClose && tell({ type: "outbound:close" });
  const store = createParentStore(
    state.stored,
    (name, value) => tell({ type: "outbound:store", name, value }),
  );
  const conversation = startConversation({
    api: createChatApi(widget),
    store,
    visitor: { userId: customer.user_id, language },
    askPage: async () =>
      (await askParent({
        window: parent,
        origin,
        type: "get_page",
        parse: (data) => pageAnswerSchema.safeParse(data).data,
        patienceMs: PAGE_TIMEOUT_MS,
      }))?.page ?? undefined,
    onChange: update,
  });
  const unread = countUnread({
    store,
    isShown: state.is_shown,
    onCount: (count) => tell({ type: "outbound:unread", count }),
  });
  const typing = createTypingTeller((isTyping) => conversation.tellTyping(isTyping));
  const chat = createChat({
    texts: createTexts(widget.texts),
    language,
    showClose,
    onSend: (text) => conversation.send(text),
    onTyping: (isTyping) => widget.features.typing && typing(isTyping),
    onRetry: (id) => conversation.retry(id),
    onStartAnew: () => conversation.startAnew(),
    onClose: close,
  });
  Object.assign(document.documentElement, { lang: language, dir: directionOf(language) });
  document.title = widget.texts.title || widget.company_name;
  applyColors(document.documentElement, parseColors(widget.colors));
  document.body.replaceChildren(chat.element);
  chat.show(conversation.state());
  addEventListener("message", receive);
  addEventListener("keydown", (event) => event.key === "Escape" && !event.isComposing && close());
  for (const name of ["online", "offline"]) addEventListener(name, () => chat.show(conversation.state()));
  addEventListener("focus", () => document.activeElement === document.body && chat.focus());
  tell({ type: "outbound:ready" });

  function update(): void {
    const now = conversation.state();
    chat.show(now);
    unread.update(now);
  }

  function receive({ source, origin: from, data }: MessageEvent): void {
    const news = source === parent && from === origin ? updateSchema.safeParse(data).data : undefined;
    if (news?.type === "outbound:stored") {
      store.receive(news.name, news.value);
      if (news.name === "conversation") conversation.resume();
      update();
    } else if (news) unread.setShown(news.type === "outbound:shown");
  }
}

function showUnavailable({ language }: Fragment, why: string): void {
  warn(`the chat cannot be shown: ${why}`);
  const { unavailable } = labelsIn(language || navigator.language, "chat");
  document.body.replaceChildren(makeElement("p", { class: "unavailable", role: "alert" }, unavailable));
}

void start();
