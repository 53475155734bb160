import { attempt, call } from "./api.js";
import { element } from "./bubble.js";
import { actionButton } from "./fault_panel.js";

/** The platform's own words for what each button reports. */
const BAN = { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "DISABLE", waba_ban_date: "today" } };
const REINSTATE = { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "REINSTATE" } };

/** The business accounts, each with a button that bans or reinstates it. */
export class AccountPanel {
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
      call("POST", `accounts/${waba_id}/events`, {
        field: "account_update",
        value: banned ? REINSTATE : BAN,
      })
    ));
  const actions = element("div", "actions");
  actions.append(button);
  row.append(head, actions);
  return row;
}
