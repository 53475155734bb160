import { $, actionButton, attempt, control, element } from "../shared/dom.js";
import { FaultPanel } from "../shared/fault_panel.js";
import { SettingsPanel } from "../shared/settings_panel.js";

/** The faults the panel offers: the label of each, and the value its field starts with. */
const FAULTS = {
  code: { label: "Refuse with an error code", value: 131000 },
  latency_ms: { label: "Respond late, milliseconds", value: 3000 },
  hang: { label: "Accept it, never respond" },
  drop: { label: "Accept it, close the socket" },
  drop_before: { label: "Close the socket, do not accept it" },
  http: { label: "Respond with an HTTP status and garbage", value: 500 },
  invalid_json: { label: "Accept it, respond with broken JSON" },
  held_for_quality: { label: "Accept it, held for quality" },
  webhook_error: { label: "Fail later with an error code", value: 131026 },
  duplicate: { label: "Report each status twice" },
  reorder: { label: "Report statuses in reverse" },
  read_without_delivered: { label: "Report read without delivered" },
  empty_wa_id: { label: "Leave wa_id empty" },
  early_webhook: { label: "Report before responding" },
  no_echo: { label: "Leave our reference out" },
  lose: { label: "Report nothing" },
};
const SETTINGS = {
  sent_ms: "Sent after, ms",
  delivered_ms: "Delivered after, ms",
  read_ms: "Read after, ms",
  latency_ms: "Every response takes, ms",
  review_ms: "Templates reviewed after, ms",
  media_url_s: "Media addresses valid, s",
  rate_per_second: "Messages per second",
  webhook_retry_ms: "First webhook retry, ms",
  webhook_url: "Webhooks go to",
  webhooks: "Send webhooks",
  pair_limit: "Pair limit (1 in 6 s)",
};
const ACTIONS = [["APPROVED", "Approve"], ["PAUSED", "Pause"], ["DISABLED", "Disable"], [
  "REJECTED",
  "Reject",
]];

/** The panel: accounts, templates, faults, settings. Shows the server's state, not the user's request. */
export class Controls {
  accounts = new AccountPanel($("accounts"));
  faults = new FaultPanel({
    path: "faults",
    kinds: FAULTS,
    match: ["to", "template", "category"],
    all: "every message",
    toFault: (kind, value) =>
      kind === "http" ? { http: value, body: "garbage", accepted: false } : { [kind]: value },
  });
  settings = new SettingsPanel({
    path: "settings",
    labels: SETTINGS,
    empty: { rate_per_second: "the number's own" },
  });
  #templates = new Map();

  /** Reads everything again. */
  async load() {
    const [accounts, templates, faults, settings] = await Promise.all(
      ["accounts", "templates", "faults", "settings"].map((name) => control("GET", name)),
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
    $("clear").addEventListener("click", () => attempt(() => control("DELETE", "messages")));
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

/** `shared`: the list holds templates of several accounts, so each names its account. */
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
      () => attempt(() => control("PUT", `templates/${template.id}`, { status })),
    );
    actions.append(button);
  }
  row.append(head, ...reviewNote(template), actions);
  return row;
}

/** When a template is reviewed, or why it was rejected. */
function reviewNote({ status, review_at, rejected_reason }) {
  if (status === "PENDING") {
    const time = new Date(review_at).toLocaleTimeString();
    return [element("small", "", review_at === undefined ? "waits for your review" : `reviewed at ${time}`)];
  }
  return rejected_reason === undefined ? [] : [element("small", "", rejected_reason)];
}

/** The platform's values for the change that each button reports. */
const BAN = { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "DISABLE", waba_ban_date: "today" } };
const REINSTATE = { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "REINSTATE" } };

/** The business accounts, each with a button that bans or reinstates it. */
class AccountPanel {
  #accounts = new Map();

  /** @param list the element that holds the rows */
  constructor(list) {
    this.list = list;
  }

  show(accounts) {
    this.#accounts = new Map(accounts.map((account) => [account.waba_id, account]));
    this.#draw();
  }

  set({ waba_id, banned }) {
    const account = this.#accounts.get(waba_id);
    if (account !== undefined) this.#accounts.set(waba_id, { ...account, banned });
    this.#draw();
  }

  #draw() {
    const focused = document.activeElement?.dataset?.account;
    this.list.replaceChildren(...[...this.#accounts.values()].map(accountRow));
    if (focused) this.list.querySelector(`[data-account="${CSS.escape(focused)}"]`)?.focus();
  }
}

function accountRow({ waba_id, numbers, banned }) {
  const row = element("li");
  const head = element("div", "row-head");
  const name = element("span", "", numbers[0]?.verifiedName ?? "Account");
  name.append(" ", element("small", "", waba_id));
  head.append(
    name,
    element("span", `pill ${banned ? "DISABLED" : "APPROVED"}`, banned ? "banned" : "active"),
  );
  const label = banned ? "Reinstate" : "Ban";
  const button = actionButton(label, `${label} account ${waba_id}`);
  button.dataset.account = waba_id;
  button.addEventListener("click", () =>
    attempt(() =>
      control("POST", `accounts/${waba_id}/events`, {
        field: "account_update",
        value: banned ? REINSTATE : BAN,
      })
    ));
  const actions = element("div", "actions");
  actions.append(button);
  row.append(head, actions);
  return row;
}
