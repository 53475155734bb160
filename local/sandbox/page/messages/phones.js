import { element } from "../shared/dom.js";
import { makeBubble, showStatus } from "./bubble.js";

/** Phones on the page; further ones are found by search. */
const SHOWN = 50;
/** Bubbles on a phone. */
const DEPTH = 30;
/** Updates the page at most this often under load. */
const PACE_MS = 250;

/**
 * The phones on the page. Holds the latest ones only, so a thousand phones cost no more than fifty; changes are
 * gathered and shown together.
 */
export class PhoneList {
  /** By number, the one with the latest message first. */
  #phones = new Map();
  #nodes = new Map();
  #search = "";
  #timer;

  constructor(list, onShown) {
    this.list = list;
    this.onShown = onShown;
  }

  /** Starts anew from `GET /sandbox/phones`. */
  reset(phones, search) {
    this.#search = search;
    this.#phones = new Map(phones.map((phone) => [phone.number, { ...phone, dirty: true }]));
    this.list.replaceChildren();
    this.#nodes.clear();
    this.#show();
  }

  addMessage(message) {
    const number = message.to.replace(/\D/g, "");
    if (!number.includes(this.#search)) return;
    const phone = this.#phones.get(number) ?? { number, total: 0, messages: [] };
    if (phone.messages.some(({ id }) => id === message.id)) return;
    phone.total += 1;
    phone.messages = [...phone.messages, message].slice(-DEPTH);
    phone.dirty = true;
    this.#phones.delete(number);
    this.#phones = new Map([[number, phone], ...[...this.#phones].slice(0, SHOWN - 1)]);
    this.#soon();
  }

  setStatus({ id, to, status, at, error }) {
    const phone = this.#phones.get(to.replace(/\D/g, ""));
    const message = phone?.messages.find((each) => each.id === id);
    if (message === undefined || message.statuses.some((each) => each.status === status)) return;
    message.statuses.push({ status, at, ...(error && { error }) });
    phone.dirty = true;
    this.#soon();
  }

  clear() {
    this.reset([], this.#search);
  }

  #soon() {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#show();
    }, this.list.childElementCount < 20 ? 0 : PACE_MS);
  }

  #show() {
    for (const [number, node] of this.#nodes) {
      if (this.#phones.has(number)) continue;
      node.root.remove();
      this.#nodes.delete(number);
    }
    let place = this.list.firstElementChild;
    for (const phone of this.#phones.values()) {
      const node = this.#nodes.get(phone.number) ?? this.#make(phone);
      if (phone.dirty) fill(node, phone);
      phone.dirty = false;
      if (node.root === place) place = place.nextElementSibling;
      else move(this.list, node.root, place);
    }
    this.onShown(this.#phones.size);
  }

  #make(phone) {
    const root = element("li", "phone");
    const caption = element("div", "caption");
    const count = element("span", "");
    caption.append(element("h2", "", `+${phone.number}`), count);
    const device = element("div", "device");
    const head = element("div", "chat-head");
    const chat = element("div", "chat");
    chat.tabIndex = 0;
    chat.setAttribute("role", "region");
    chat.setAttribute("aria-label", `Messages to +${phone.number}`);
    device.append(head, chat);
    root.append(caption, device);
    const node = { root, count, head, chat, sender: "", bubbles: new Map() };
    this.#nodes.set(phone.number, node);
    return node;
  }
}

/** Moves a node without losing the focus inside it, where the browser can. */
function move(list, node, place) {
  if (node.isConnected && list.moveBefore) list.moveBefore(node, place);
  else list.insertBefore(node, place);
}

function fill(node, phone) {
  const latest = phone.messages.at(-1);
  node.count.textContent = phone.total === 1 ? "1 message" : `${phone.total} messages`;
  if (node.sender !== latest.sender.name + latest.sender.number) showSender(node, latest.sender);
  const atEnd = node.chat.scrollHeight - node.chat.scrollTop - node.chat.clientHeight < 80;
  const first = node.bubbles.size === 0;
  const added = phone.messages.filter((message) => !showKnown(node, message));
  for (const message of added) addBubble(node, message, first);
  while (node.bubbles.size > DEPTH) evictOldest(node);
  if (added.length > 0 && (atEnd || first)) {
    queueMicrotask(() => node.chat.scrollTop = node.chat.scrollHeight);
  }
}

function showKnown(node, message) {
  const bubble = node.bubbles.get(message.id);
  if (bubble !== undefined) showStatus(bubble, message);
  return bubble !== undefined;
}

function addBubble(node, message, quiet) {
  const bubble = makeBubble(message);
  if (!quiet) bubble.classList.add("new");
  node.bubbles.set(message.id, bubble);
  node.chat.append(bubble);
}

function evictOldest(node) {
  const [id, bubble] = node.bubbles.entries().next().value;
  bubble.remove();
  node.bubbles.delete(id);
}

function showSender(node, sender) {
  const text = element("p", "");
  const badge = element("span", "verified", "✓");
  badge.title = "Verified name";
  text.append(element("strong", "", sender.name), badge, element("small", "", `+${sender.number}`));
  node.head.replaceChildren(element("span", "avatar", initials(sender.name)), text);
  node.sender = sender.name + sender.number;
}

function initials(name) {
  return name.split(/\s+/).slice(0, 2).map((word) => [...word][0] ?? "").join("").toUpperCase();
}
