import { makePhone } from "./call_phone.js";

/** Phones on the page; further ones are found by search. */
const SHOWN = 50;
/** Calls on a phone. */
const DEPTH = 10;
/** Updates the page at most this often under load. */
const PACE_MS = 250;

/** The phones that were called, the latest first. Changes are gathered and shown together. */
export class CallList {
  #phones = new Map();
  #nodes = new Map();
  #search = "";
  #timer;

  constructor(list, onShown) {
    this.list = list;
    this.onShown = onShown;
    setInterval(() => this.#tick(), 1000);
  }

  /** Starts anew from `GET /sandbox/voice/phones`. */
  reset(phones, search) {
    this.#search = search;
    this.#phones = new Map(phones.map(({ number, calls }) => [
      number,
      { number, calls: new Map(calls.map((call) => [call.id, call])), dirty: true },
    ]));
    this.list.replaceChildren();
    this.#nodes.clear();
    this.#show();
  }

  /** Shows a new or changed call. A new one moves its phone to the front. */
  setCall(call) {
    const number = call.to.replace(/\D/g, "");
    if (!number.includes(this.#search)) return;
    const phone = this.#phones.get(number) ?? { number, calls: new Map() };
    const fresh = !phone.calls.has(call.id);
    phone.calls.set(call.id, call);
    if (phone.calls.size > DEPTH) phone.calls.delete(phone.calls.keys().next().value);
    phone.dirty = true;
    if (fresh) {
      this.#phones.delete(number);
      this.#phones = new Map([[number, phone], ...[...this.#phones].slice(0, SHOWN - 1)]);
    }
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
      const node = this.#nodes.get(phone.number) ?? this.#make(phone.number);
      if (phone.dirty) node.show([...phone.calls.values()]);
      phone.dirty = false;
      if (node.root === place) place = place.nextElementSibling;
      else move(this.list, node.root, place);
    }
    this.onShown(this.#phones.size);
  }

  #make(number) {
    const node = makePhone(number);
    this.#nodes.set(number, node);
    return node;
  }

  #tick() {
    for (const node of this.#nodes.values()) node.tick();
  }
}

/** Moves a node without losing the focus inside it, where the browser can. */
function move(list, node, place) {
  if (node.isConnected && list.moveBefore) list.moveBefore(node, place);
  else list.insertBefore(node, place);
}
