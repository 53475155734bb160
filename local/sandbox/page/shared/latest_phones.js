/** Phones on the page; further ones are found by search. */
const SHOWN = 50;
/** Updates the page at most this often under load. */
const PACE_MS = 250;

/**
 * The phones on a page. Holds the latest ones only, so a thousand phones cost no more than fifty; changes are gathered
 * and shown together.
 */
export class LatestPhones {
  /** By number, the latest first. */
  #phones = new Map();
  #nodes = new Map();
  #search = "";
  #timer;

  /** `make` returns the node of a phone with its `root`, `fill` shows a phone in it, `onShown` receives their number. */
  constructor(list, { make, fill, onShown }) {
    this.list = list;
    this.make = make;
    this.fill = fill;
    this.onShown = onShown;
  }

  /** Starts anew with the phones whose numbers include `search`. */
  reset(phones, search) {
    this.#search = search;
    this.#phones = new Map(phones.map((phone) => [phone.number, { ...phone, dirty: true }]));
    this.list.replaceChildren();
    this.#nodes.clear();
    this.#show();
  }

  clear() {
    this.reset([], this.#search);
  }

  isSearched(number) {
    return number.includes(this.#search);
  }

  get(number) {
    return this.#phones.get(number);
  }

  nodes() {
    return this.#nodes.values();
  }

  /** Shows a phone in front of all others soon. */
  moveToFront(phone) {
    this.#phones.delete(phone.number);
    this.#phones = new Map([[phone.number, phone], ...[...this.#phones].slice(0, SHOWN - 1)]);
    this.update(phone);
  }

  /** Shows what changed in a phone soon. */
  update(phone) {
    phone.dirty = true;
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
    let next = this.list.firstElementChild;
    for (const phone of this.#phones.values()) {
      const node = this.#nodes.get(phone.number) ?? this.#add(phone);
      if (phone.dirty) this.fill(node, phone);
      phone.dirty = false;
      if (node.root === next) next = next.nextElementSibling;
      else move(this.list, node.root, next);
    }
    this.onShown(this.#phones.size);
  }

  #add(phone) {
    const node = this.make(phone);
    this.#nodes.set(phone.number, node);
    return node;
  }
}

/** Moves a node without losing the focus inside it, where the browser can. */
function move(list, node, next) {
  if (node.isConnected && list.moveBefore) list.moveBefore(node, next);
  else list.insertBefore(node, next);
}
