import { $, actionButton, attempt, control, element } from "./dom.js";

/** The form for faults and the list of those in force. */
export class FaultPanel {
  /**
   * `path`: where the faults are under /sandbox. `kinds`: by fault, its label and, where it has one, the value its
   * field starts with. `match`: the fields that limit a fault to some requests. `all`: what a fault applies to without
   * them. `toFault`: makes the fault of a kind and a value.
   */
  constructor({ path, kinds, match, all, toFault }) {
    Object.assign(this, { path, kinds, match, all, toFault });
  }

  listen() {
    const form = $("fault-form");
    form.elements.kind.append(
      ...Object.entries(this.kinds).map(([kind, { label }]) => new Option(label, kind)),
    );
    form.addEventListener("change", (event) => event.target.name === "kind" && this.#showValue(form));
    this.#showValue(form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(() => control("POST", this.path, this.#read(form)));
    });
  }

  show(rules) {
    $("faults").replaceChildren(...rules.map((rule) => this.#row(rule)));
  }

  #showValue(form) {
    const { value } = this.kinds[form.elements.kind.value];
    $("fault-value").hidden = value === undefined;
    form.elements.value.value = value ?? "";
  }

  #read({ elements }) {
    const kind = elements.kind.value;
    const value = this.kinds[kind].value === undefined ? true : Number(elements.value.value);
    const match = this.match.filter((name) => elements[name].value)
      .map((name) => [name, elements[name].value]);
    return {
      match: Object.fromEntries(match),
      probability: Number(elements.chance.value) / 100,
      ...(elements.times.value && { times: Number(elements.times.value) }),
      fault: this.toFault(kind, value),
    };
  }

  #row(rule) {
    const row = element("li");
    const head = element("div", "row-head");
    const what = Object.entries(rule.fault).map(([name, value]) =>
      value === true ? name : `${name} ${value}`
    );
    head.append(element("span", "", what.join(", ")), element("span", "pill", `${rule.hits} hit`));
    const remove = actionButton("Remove", `Remove fault ${what.join(", ")}`);
    remove.addEventListener("click", () => attempt(() => control("DELETE", `${this.path}/${rule.id}`)));
    const actions = element("div", "actions");
    actions.append(remove);
    row.append(head, element("small", "", this.#describe(rule)), actions);
    return row;
  }

  #describe({ match, probability, times }) {
    const parts = Object.entries(match).filter(([, value]) => value !== "outbound-call").map((
      [name, value],
    ) => `${name.replaceAll("_", " ")} ${value}`);
    if (probability < 1) parts.push(`${Math.round(probability * 100)} %`);
    if (times !== undefined) parts.push(times === 1 ? "once" : `${times} times`);
    return parts.join(" · ") || this.all;
  }
}
