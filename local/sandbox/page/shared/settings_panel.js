import { $, attempt, control, element } from "./dom.js";

/** The form with the settings. Shows the server's state, not the user's request. */
export class SettingsPanel {
  #shown = false;

  /** `path`: where the settings are under /sandbox. `labels`: by setting. `empty`: the meaning of an empty field. */
  constructor({ path, labels, empty }) {
    Object.assign(this, { path, labels, empty });
  }

  listen() {
    $("settings-form").addEventListener(
      "change",
      ({ target }) => attempt(() => control("PUT", this.path, { [target.name]: readSetting(target) })),
    );
    $("settings-form").addEventListener("submit", (event) => event.preventDefault());
  }

  /** Updates only changed fields, so that no text being typed is lost. */
  show(settings) {
    const form = $("settings-form");
    if (!this.#shown) {
      form.replaceChildren(...Object.keys(this.labels).map((name) => this.#field(name, settings[name])));
    }
    this.#shown = true;
    for (const [name, value] of Object.entries(settings)) {
      const field = form.elements[name];
      if (field === undefined || field === document.activeElement) continue;
      if (typeof value === "boolean") field.checked = value;
      else field.value = value ?? "";
    }
  }

  #field(name, value) {
    const label = element("label", typeof value === "boolean" ? "check" : "");
    const input = element("input");
    input.name = name;
    input.type = typeof value === "boolean" ? "checkbox" : name === "webhook_url" ? "url" : "number";
    if (this.empty[name] !== undefined) input.placeholder = this.empty[name];
    if (name === "webhook_url") label.classList.add("wide");
    if (input.type === "checkbox") label.append(input, this.labels[name]);
    else label.append(this.labels[name], input);
    return label;
  }
}

function readSetting(field) {
  if (field.type === "checkbox") return field.checked;
  if (field.value === "") return null;
  return field.type === "number" ? Number(field.value) : field.value;
}
