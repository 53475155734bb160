import { element } from "../shared/dom.js";
import { chatOf, DEPTH, fillChat, senderOf } from "./chat.js";
import { PhoneActions } from "./phone_actions.js";

/** Phones on the page; further ones are found by search. */
const SHOWN = 50;
/** Updates the page at most this often under load. */
const PACE_MS = 250;

/** A person who has changed nothing. */
const NOBODY = { stopped: [], blocked: [], username: null, moved_to: null };

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
    this.#phones = new Map(
      phones.map((phone) => [phone.number, { ...phone, chat: chatOf(phone), dirty: true }]),
    );
    this.list.replaceChildren();
    this.#nodes.clear();
    this.#show();
  }

  addMessage(message, person) {
    const number = message.to.replace(/\D/g, "");
    this.#add(number, { id: message.id, at: message.accepted_at, message }, person);
  }

  /** Adds a message that a person sent. */
  addReply(reply) {
    this.#add(reply.number, { id: reply.id, at: reply.at, reply });
  }

  #add(number, item, person = NOBODY) {
    if (!number.includes(this.#search)) return;
    const phone = this.#phones.get(number) ?? { number, total: 0, chat: [], person };
    if (phone.chat.some(({ id }) => id === item.id)) return;
    if (item.reply === undefined) phone.total += 1;
    phone.chat = [...phone.chat, item].slice(-DEPTH);
    phone.dirty = true;
    this.#phones.delete(number);
    this.#phones = new Map([[number, phone], ...[...this.#phones].slice(0, SHOWN - 1)]);
    this.#soon();
  }

  /** Shows what a person changed. */
  setPerson(person) {
    const phone = this.#phones.get(person.number);
    if (phone === undefined) return;
    phone.person = person;
    phone.dirty = true;
    this.#soon();
  }

  setStatus({ id, to, status, at, error }) {
    const phone = this.#phones.get(to.replace(/\D/g, ""));
    const message = phone?.chat.find((each) => each.id === id)?.message;
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
    const actions = new PhoneActions(phone.number);
    caption.append(element("h2", "", `+${phone.number}`), count, actions.menu);
    const device = element("div", "device");
    const head = element("div", "chat-head");
    const chat = element("div", "chat");
    chat.tabIndex = 0;
    chat.setAttribute("role", "region");
    chat.setAttribute("aria-label", `Messages to +${phone.number}`);
    device.append(head, actions.states, chat, actions.form);
    root.append(caption, device);
    const node = { root, count, head, chat, actions, sender: "", bubbles: new Map() };
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
  const sender = senderOf(phone.chat);
  node.count.textContent = phone.total === 1 ? "1 message" : `${phone.total} messages`;
  if (node.sender !== sender.name + sender.number) showSender(node, sender);
  node.actions.show(phone.person, sender.id);
  fillChat(node, phone.chat);
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
