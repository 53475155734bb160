import { element } from "./bubble.js";

/** Faults the panel offers: what the field beside it means, and what it starts with. */
const FAULTS = {
  code: { label: "Refuse with an error code", value: 131000 },
  latency_ms: { label: "Answer late, milliseconds", value: 3000 },
  hang: { label: "Take it, never answer" },
  drop: { label: "Take it, close the socket" },
  drop_before: { label: "Close the socket, do not take it" },
  http: { label: "Answer rubbish with an HTTP status", value: 500 },
  invalid_json: { label: "Take it, answer broken JSON" },
  webhook_error: { label: "Fail later with an error code", value: 131026 },
  duplicate: { label: "Tell each status twice" },
  reorder: { label: "Tell statuses in reverse" },
  read_without_delivered: { label: "Tell read without delivered" },
  empty_wa_id: { label: "Leave wa_id empty" },
  early_webhook: { label: "Tell before answering" },
  no_echo: { label: "Leave our reference out" },
  lose: { label: "Tell nothing" },
};
const SETTINGS = {
  sent_ms: "Sent after, ms",
  delivered_ms: "Delivered after, ms",
  read_ms: "Read after, ms",
  latency_ms: "Every answer takes, ms",
  review_ms: "Templates reviewed after, ms",
  rate_per_second: "Messages a second",
  webhook_retry_ms: "First webhook retry, ms",
  webhook_url: "Webhooks go to",
  webhooks: "Send webhooks",
  pair_limit: "Pair limit (1 in 6 s)",
};
const ACTIONS = [["APPROVED", "Approve"], ["PAUSED", "Pause"], ["DISABLED", "Disable"], [
  "REJECTED",
  "Reject",
]];

const $ = (id) => document.getElementById(id);

/** The panel: templates, faults, settings. Shows what the server says, never what was only asked for. */
export class Controls {
  #templates = new Map();
  #formSettings = "";

  /** Reads everything anew and starts listening to the forms. */
  async load() {
    const [templates, faults, settings] = await Promise.all(
      ["templates", "faults", "settings"].map((name) => call("GET", name)),
    );
    this.#templates = new Map(templates.data.map((template) => [template.id, template]));
    this.#showTemplates();
    this.showFaults(faults.data);
    this.showSettings(settings);
  }

  listen() {
    const kinds = Object.entries(FAULTS).map(([kind, { label }]) => new Option(label, kind));
    $("fault-form").elements.kind.append(...kinds);
    $("fault-form").addEventListener("change", (event) => event.target.name === "kind" && showFaultValue());
    showFaultValue();
    $("fault-form").addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(() => call("POST", "faults", readFault(event.target)));
    });
    $("settings-form").addEventListener(
      "change",
      ({ target }) => attempt(() => call("PUT", "settings", { [target.name]: readSetting(target) })),
    );
    $("settings-form").addEventListener("submit", (event) => event.preventDefault());
    $("clear").addEventListener("click", () => attempt(() => call("DELETE", "messages")));
  }

  setTemplate({ id, removed, template, waba_id }) {
    if (removed) this.#templates.delete(id);
    else this.#templates.set(template.id, { waba_id, ...template });
    this.#showTemplates();
  }

  showFaults(faults) {
    $("faults").replaceChildren(...faults.map(faultRow));
  }

  /** Only fields that changed are touched, so nobody loses what they are typing. */
  showSettings(settings) {
    if (this.#formSettings === "") {
      $("settings-form").replaceChildren(
        ...Object.keys(SETTINGS).map((name) => settingField(name, settings[name])),
      );
    }
    this.#formSettings = JSON.stringify(settings);
    for (const [name, value] of Object.entries(settings)) {
      const field = $("settings-form").elements[name];
      if (field === undefined || field === document.activeElement) continue;
      if (typeof value === "boolean") field.checked = value;
      else field.value = value ?? "";
    }
  }

  #showTemplates() {
    const focused = document.activeElement?.dataset?.key;
    const templates = [...this.#templates.values()];
    const shared = new Set(templates.map(({ waba_id }) => waba_id)).size > 1;
    $("templates").replaceChildren(...templates.map((template) => templateRow(template, shared)));
    if (focused) document.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }
}

function showFaultValue() {
  const form = $("fault-form");
  const { value } = FAULTS[form.elements.kind.value];
  $("fault-value").hidden = value === undefined;
  form.elements.value.value = value ?? "";
}

function readFault({ elements }) {
  const kind = elements.kind.value;
  const value = FAULTS[kind].value === undefined ? true : Number(elements.value.value);
  return {
    match: {
      ...(elements.to.value && { to: elements.to.value }),
      ...(elements.template.value && { template: elements.template.value }),
    },
    probability: Number(elements.chance.value) / 100,
    ...(elements.times.value && { times: Number(elements.times.value) }),
    fault: kind === "http" ? { http: value, body: "garbage", accepted: false } : { [kind]: value },
  };
}

function readSetting(field) {
  if (field.type === "checkbox") return field.checked;
  if (field.value === "") return null;
  return field.type === "number" ? Number(field.value) : field.value;
}

function settingField(name, value) {
  const label = element("label", typeof value === "boolean" ? "check" : "");
  const input = element("input");
  input.name = name;
  input.type = typeof value === "boolean" ? "checkbox" : name === "webhook_url" ? "url" : "number";
  if (name === "rate_per_second") input.placeholder = "each its own";
  if (name === "review_ms") input.placeholder = "by hand";
  if (name === "webhook_url") label.classList.add("wide");
  if (input.type === "checkbox") label.append(input, SETTINGS[name]);
  else label.append(SETTINGS[name], input);
  return label;
}

/** `shared`: templates of several accounts are listed, so each says whose it is. */
function templateRow(template, shared) {
  const row = element("li");
  const head = element("div", "row-head");
  const name = element("span", "", template.name);
  const details = shared ? `${template.language} · account ${template.waba_id}` : template.language;
  name.append(" ", element("small", "", details));
  head.append(name, element("span", `pill ${template.status}`, template.status.toLowerCase()));
  const actions = element("div", "actions");
  for (const [status, label] of ACTIONS) {
    if (status === template.status) continue;
    const button = actionButton(label, `${label} ${template.name} ${details}`);
    button.dataset.key = `${template.id}/${status}`;
    button.addEventListener(
      "click",
      () => attempt(() => call("PUT", `templates/${template.id}`, { status })),
    );
    actions.append(button);
  }
  row.append(head, ...reviewNote(template), actions);
  return row;
}

/** When a template is judged, or why it was rejected. */
function reviewNote({ status, review_at, rejected_reason }) {
  if (status === "PENDING") {
    const time = new Date(review_at).toLocaleTimeString();
    return [element("small", "", review_at === undefined ? "waits for your word" : `reviewed at ${time}`)];
  }
  return rejected_reason === undefined ? [] : [element("small", "", rejected_reason)];
}

function faultRow(rule) {
  const row = element("li");
  const head = element("div", "row-head");
  const what = Object.entries(rule.fault).map(([name, value]) => value === true ? name : `${name} ${value}`);
  head.append(element("span", "", what.join(", ")), element("span", "pill", `${rule.hits} hit`));
  const remove = actionButton("Remove", `Remove fault ${what.join(", ")}`);
  remove.addEventListener("click", () => attempt(() => call("DELETE", `faults/${rule.id}`)));
  const actions = element("div", "actions");
  actions.append(remove);
  row.append(head, element("small", "", describeRule(rule)), actions);
  return row;
}

function describeRule({ match, probability, times }) {
  const parts = Object.entries(match).map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`);
  if (probability < 1) parts.push(`${Math.round(probability * 100)} %`);
  if (times !== undefined) parts.push(times === 1 ? "once" : `${times} times`);
  return parts.join(" · ") || "every message";
}

function actionButton(text, label) {
  const button = element("button", "", text);
  button.type = "button";
  button.setAttribute("aria-label", label);
  return button;
}

/** One call to the controls of the sandbox; throws what it answers when it refuses. */
export async function call(method, path, body) {
  const response = await fetch(`/sandbox/${path}`, {
    method,
    ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ?? response.statusText);
  return answer;
}

async function attempt(action) {
  $("problem").textContent = "";
  try {
    await action();
  } catch (error) {
    $("problem").textContent = error.message;
  }
}
