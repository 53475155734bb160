import { AccountPanel } from "./account_panel.js";
import { attempt, call } from "./api.js";
import { element } from "./bubble.js";
import { actionButton, FaultPanel } from "./fault_panel.js";
import { SettingsPanel } from "./settings_panel.js";

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

/** The panel: accounts, templates, faults, settings. Shows what the server says, never what was only asked for. */
export class Controls {
  accounts = new AccountPanel($("accounts"));
  faults = new FaultPanel({
    path: "faults",
    kinds: FAULTS,
    match: ["to", "template"],
    all: "every message",
    toFault: (kind, value) =>
      kind === "http" ? { http: value, body: "garbage", accepted: false } : { [kind]: value },
  });
  settings = new SettingsPanel({
    path: "settings",
    labels: SETTINGS,
    empty: { rate_per_second: "each its own" },
  });
  #templates = new Map();

  /** Reads everything anew. */
  async load() {
    const [accounts, templates, faults, settings] = await Promise.all(
      ["accounts", "templates", "faults", "settings"].map((name) => call("GET", name)),
    );
    this.accounts.show(accounts.data);
    this.#templates = new Map(templates.data.map((template) => [template.id, template]));
    this.#showTemplates();
    this.faults.show(faults.data);
    this.settings.show(settings);
  }

  /** Starts listening to the forms. */
  listen() {
    this.faults.listen();
    this.settings.listen();
    $("clear").addEventListener("click", () => attempt(() => call("DELETE", "messages")));
  }

  setTemplate({ id, removed, template, waba_id }) {
    if (removed) this.#templates.delete(id);
    else this.#templates.set(template.id, { waba_id, ...template });
    this.#showTemplates();
  }

  #showTemplates() {
    const focused = document.activeElement?.dataset?.key;
    const templates = [...this.#templates.values()];
    const shared = new Set(templates.map(({ waba_id }) => waba_id)).size > 1;
    $("templates").replaceChildren(...templates.map((template) => templateRow(template, shared)));
    if (focused) document.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }
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
