import { attempt, control, element } from "../shared/dom.js";

/** What the person may do, by its present state for a business number: the label and the action. */
const CHOICES = [
  (person, id) => person.stopped.includes(id) ? ["Resume promotions", "resume"] : ["Stop promotions", "stop"],
  (person, id) => person.blocked.includes(id) ? ["Unblock", "unblock"] : ["Block", "block"],
  (person) => person.username === null ? ["Hide the number", "hide"] : ["Show the number", "show"],
];
/** Actions that concern the person, not one business number. */
const PERSONAL = ["hide", "show"];

/** What a person does with a phone: replies, and a menu of choices. */
export class PhoneActions {
  #person;
  #sender = "";
  #buttons = [];

  constructor(number) {
    this.number = number;
    this.form = element("form", "reply");
    this.menu = element("details", "menu");
    this.states = element("p", "states");
    this.#makeForm();
    this.#makeMenu();
  }

  /** Shows the state of a person for the business number that wrote last. */
  show(person, sender) {
    this.#person = person;
    this.#sender = sender;
    for (const [index, choice] of CHOICES.entries()) {
      const [label, action] = choice(person, sender);
      this.#buttons[index].textContent = label;
      this.#buttons[index].dataset.action = action;
    }
    this.states.replaceChildren(...statesOf(person).map((state) => element("span", "state", state)));
    const silent = person.blocked.includes(sender) || person.moved_to !== null;
    const { text } = this.form.elements;
    text.disabled = silent;
    text.placeholder = silent ? "Cannot write" : "Reply";
    this.form.querySelector("button").disabled = silent;
  }

  #makeForm() {
    const input = element("input");
    Object.assign(input, { name: "text", required: true, maxLength: 4096, autocomplete: "off" });
    input.setAttribute("aria-label", `Reply as +${this.number}`);
    const send = element("button", "", "Send");
    send.setAttribute("aria-label", `Send the reply of +${this.number}`);
    this.form.append(input, send);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(async () => {
        await this.#post("messages", { type: "text", text: input.value, phone_number_id: this.#sender });
        input.value = "";
      });
    });
  }

  #makeMenu() {
    const summary = element("summary", "", "⋯");
    summary.setAttribute("aria-label", `What +${this.number} does`);
    const list = element("div", "choices");
    this.#buttons = CHOICES.map(() => element("button", "quiet"));
    for (const button of this.#buttons) {
      button.type = "button";
      button.addEventListener("click", () => this.#choose(button.dataset.action));
    }
    list.append(...this.#buttons);
    this.menu.append(summary, list);
    this.menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.menu.open) return;
      this.menu.open = false;
      summary.focus();
    });
    this.menu.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget !== null && !this.menu.contains(relatedTarget)) this.menu.open = false;
    });
  }

  #choose(action) {
    const body = PERSONAL.includes(action) ? {} : { phone_number_id: this.#sender };
    return attempt(() => this.#post(action, body));
  }

  #post(action, body) {
    return control("POST", `phones/${this.number}/${action}`, body);
  }
}

/** What a person has changed, for people. */
function statesOf({ stopped, blocked, username, moved_to }) {
  const several = (ids) => ids.length > 1 ? ` (${ids.length} numbers)` : "";
  return [
    stopped.length > 0 ? `Promotions stopped${several(stopped)}` : "",
    blocked.length > 0 ? `Blocked${several(blocked)}` : "",
    username === null ? "" : `Number hidden: ${username}`,
    moved_to === null ? "" : `Moved to +${moved_to}`,
  ].filter((state) => state !== "");
}
