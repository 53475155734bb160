import { makeBubble, makeReply, showStatus } from "./bubble.js";

/** Bubbles on a phone. */
export const DEPTH = 30;

/** The messages of both sides in the order of their times; `message` is what the phone got, `reply` what it sent. */
export function chatOf({ messages, inbound }) {
  const items = [
    ...messages.map((message) => ({ id: message.id, at: message.accepted_at, message })),
    ...inbound.map((reply) => ({ id: reply.id, at: reply.at, reply })),
  ];
  return items.sort((one, other) => Date.parse(one.at) - Date.parse(other.at)).slice(-DEPTH);
}

/** The business number of the latest message: its id, its name and its digits. */
export function senderOf(chat) {
  const { phone_number_id, sender } = chat.at(-1).message ?? chat.at(-1).reply;
  return { id: phone_number_id, ...sender };
}

/** Adds the bubbles that are missing, updates the others and scrolls to the end, unless the reader has scrolled up. */
export function fillChat(node, items) {
  const { chat, bubbles } = node;
  const atEnd = chat.scrollHeight - chat.scrollTop - chat.clientHeight < 80;
  const first = bubbles.size === 0;
  const added = items.filter((item) => !showKnown(bubbles, item));
  for (const item of added) addBubble(node, item, first);
  while (bubbles.size > DEPTH) evictOldest(bubbles);
  if (added.length > 0 && (atEnd || first)) queueMicrotask(() => chat.scrollTop = chat.scrollHeight);
}

function showKnown(bubbles, { id, message }) {
  const bubble = bubbles.get(id);
  if (bubble !== undefined && message !== undefined) showStatus(bubble, message);
  return bubble !== undefined;
}

function addBubble({ chat, bubbles }, { id, message, reply }, quiet) {
  const bubble = message === undefined ? makeReply(reply) : makeBubble(message);
  if (!quiet) bubble.classList.add("new");
  bubbles.set(id, bubble);
  chat.append(bubble);
}

function evictOldest(bubbles) {
  const [id, bubble] = bubbles.entries().next().value;
  bubble.remove();
  bubbles.delete(id);
}
