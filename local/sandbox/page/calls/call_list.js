import { LatestPhones } from "../shared/latest_phones.js";
import { makePhone } from "./call_phone.js";

/** Calls on a phone. */
const DEPTH = 10;

/** The phones that were called, the latest first. */
export class CallList {
  #phones;

  constructor(list, onShown) {
    this.#phones = new LatestPhones(list, {
      make: ({ number }) => makePhone(number),
      fill: (node, { calls }) => node.show([...calls.values()]),
      onShown,
    });
    setInterval(() => this.#tick(), 1000);
  }

  /** Starts anew from `GET /sandbox/voice/phones`. */
  reset(phones, search) {
    const callsOf = ({ calls }) => new Map(calls.map((call) => [call.id, call]));
    this.#phones.reset(phones.map((phone) => ({ number: phone.number, calls: callsOf(phone) })), search);
  }

  /** Shows a new or changed call. A new one moves its phone to the front. */
  setCall(call) {
    const number = call.to.replace(/\D/g, "");
    if (!this.#phones.isSearched(number)) return;
    const phone = this.#phones.get(number) ?? { number, calls: new Map() };
    const fresh = !phone.calls.has(call.id);
    phone.calls.set(call.id, call);
    if (phone.calls.size > DEPTH) phone.calls.delete(phone.calls.keys().next().value);
    if (fresh) this.#phones.moveToFront(phone);
    else this.#phones.update(phone);
  }

  clear() {
    this.#phones.clear();
  }

  #tick() {
    for (const node of this.#phones.nodes()) node.tick();
  }
}
