import { element } from "../shared/dom.js";
import { LatestPhones } from "../shared/latest_phones.js";
import { chatOf, DEPTH, fillChat, senderOf } from "./chat.js";
import { PhoneActions } from "./phone_actions.js";

/** A person who has changed nothing. */
const NEW_PERSON = { stopped: [], blocked: [], username: null, moved_to: null };

/** The phones on the page, the one with the latest message first. */
export class PhoneList {
  #phones;

  constructor(list, onShown) {
    this.#phones = new LatestPhones(list, { make: makePhone, fill, onShown });
  }

  /** Starts anew from `GET /sandbox/phones`. */
  reset(phones, search) {
    this.#phones.reset(phones.map((phone) => ({ ...phone, chat: chatOf(phone) })), search);
  }

  addMessage(message, person) {
    const number = message.to.replace(/\D/g, "");
    this.#add(number, { id: message.id, at: message.accepted_at, message }, person);
  }

  /** Adds a message that a person sent. */
  addReply(reply) {
    this.#add(reply.number, { id: reply.id, at: reply.at, reply });
  }

  #add(number, item, person = NEW_PERSON) {
    if (!this.#phones.isSearched(number)) return;
    const phone = this.#phones.get(number) ?? { number, total: 0, chat: [], person };
    if (phone.chat.some(({ id }) => id === item.id)) return;
    if (item.reply === undefined) phone.total += 1;
    phone.chat = [...phone.chat, item].slice(-DEPTH);
    this.#phones.moveToFront(phone);
  }

  /** Shows what a person changed. */
  setPerson(person) {
    const phone = this.#phones.get(person.number);
    if (phone === undefined) return;
    phone.person = person;
    this.#phones.update(phone);
  }

  setStatus({ id, to, status, at, error }) {
    const phone = this.#phones.get(to.replace(/\D/g, ""));
    const message = phone?.chat.find((each) => each.id === id)?.message;
    if (message === undefined || message.statuses.some((each) => each.status === status)) return;
    message.statuses.push({ status, at, ...(error && { error }) });
    this.#phones.update(phone);
  }

  clear() {
    this.#phones.clear();
  }
}

function makePhone(phone) {
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
  return { root, count, head, chat, actions, sender: "", bubbles: new Map() };
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
