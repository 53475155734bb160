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
import { openStore } from "../shared/open_store.ts";
import { type Fragment, readFragment } from "../shared/read_fragment.ts";
import { warn } from "../shared/warn.ts";
import { createChatApi } from "./chat_api.ts";
import { startConversation } from "./conversation.ts";
import { createChat } from "./create_chat.ts";
import { findParent } from "./find_parent.ts";
import { type ChatWidget, type Customer, customerAnswerSchema, widgetAnswerSchema } from "./schemas.ts";
import { createTypingTeller } from "./tell_typing.ts";
import { createTexts } from "./texts.ts";

async function start(): Promise<void> {
  const fragment = readFragment(location.hash);
  const origin = findParent(fragment);
  if (origin === undefined) return showUnavailable(fragment, "it was opened outside of its page");
  const ask = { window: parent, origin };
  const [widget, customer] = await Promise.all([
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
  ]);
  if (!widget || !customer) return showUnavailable(fragment, "the page around it says nothing");
  if (new URL(widget.base_url).origin !== origin) {
    return showUnavailable(fragment, "the page around it is not the API's");
  }
  show(widget, customer, { origin, showClose: fragment.showClose });
}

function show(
  widget: ChatWidget,
  customer: Customer,
  { origin, showClose }: { origin: string; showClose: boolean },
): void {
  const { language } = widget;
  const tell = (message: { type: string; count?: number }) => parent.postMessage(message, origin);
  const close = () => showClose && tell({ type: "outbound:close" });
  const store = openStore(`outbound:${widget.base_url}:${widget.widget_id}:${customer.user_id}:`);
  const conversation = startConversation({
    api: createChatApi(widget),
    store,
    visitor: { userId: customer.user_id, language },
    onChange: () => chat.show(conversation.state()),
    onNews: (messages) => tell({ type: "outbound:unread", count: messages.length }),
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
  addEventListener("keydown", (event) => event.key === "Escape" && !event.isComposing && close());
  for (const name of ["online", "offline"]) addEventListener(name, () => chat.show(conversation.state()));
  addEventListener("focus", () => document.activeElement === document.body && chat.focus());
  tell({ type: "outbound:ready" });
}

function showUnavailable({ language }: Fragment, why: string): void {
  warn(`the chat cannot be shown: ${why}`);
  const { unavailable } = labelsIn(language || navigator.language, "chat");
  document.body.replaceChildren(makeElement("p", { class: "unavailable", role: "alert" }, unavailable));
}

void start();
