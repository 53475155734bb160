import { $, actionButton, attempt, control, element } from "../shared/dom.js";
import { FaultPanel } from "../shared/fault_panel.js";
import { SettingsPanel } from "../shared/settings_panel.js";

/** The faults the panel offers: the label of each, and the value its field starts with. */
const FAULTS = {
  http: { label: "Refuse with an HTTP status", value: 429 },
  success_false: { label: "Respond with success: false" },
  latency_ms: { label: "Respond late, milliseconds", value: 3000 },
  hang: { label: "Call, never respond" },
  drop: { label: "Call, close the socket" },
  drop_before: { label: "Close the socket, do not call" },
  invalid_json: { label: "Call, respond with broken JSON" },
  null_ids: { label: "Call, respond without ids" },
  duplicate: { label: "Report each event twice" },
  reorder: { label: "Report the last event first" },
  delay_ms: { label: "Report late, milliseconds", value: 5000 },
  early_webhook: { label: "Report before responding" },
  no_echo: { label: "Leave our reference out" },
  lose: { label: "Report nothing" },
};
const SETTINGS = {
  ring_ms: "Rings, ms",
  no_answer_ms: "Rings unanswered, ms",
  talk_ms: "Conversation, ms",
  analysis_ms: "Analysis, ms",
  latency_ms: "Every response takes, ms",
  duration_secs: "Reported length, s",
  concurrency: "Concurrent calls",
  calls_per_second: "Calls per second",
  webhook_url: "Webhooks go to",
  webhooks: "Send webhooks",
  machine_detection: "Detect machines",
};
const OUTCOMES = {
  busy: "busy",
  no_answer: "not answered",
  voicemail: "voicemail",
  failed: "failed before ringing",
  answered: "answered",
};

/** The panel: outcomes, faults, settings. Shows the server's state, not the user's request. */
export class CallControls {
  faults = new FaultPanel({
    path: "voice/faults",
    kinds: FAULTS,
    match: ["to", "agent_id"],
    all: "every call",
    toFault: (kind, value) => ({ [kind]: value }),
  });
  #settings = new SettingsPanel({
    path: "voice/settings",
    labels: SETTINGS,
    empty: {
      duration_secs: "the real length",
      concurrency: "the account's own",
      calls_per_second: "the account's own",
    },
  });

  /** Reads everything again. */
  async load() {
    const [outcomes, faults, settings] = await Promise.all(
      ["voice/outcomes", "voice/faults", "voice/settings"].map((name) => control("GET", name)),
    );
    this.showOutcomes(outcomes.data);
    this.faults.show(faults.data);
    this.showSettings(settings);
  }

  /** Starts listening to the forms. */
  listen() {
    this.faults.listen();
    this.#settings.listen();
    const { elements } = $("outcome-form");
    elements.outcome.append(...Object.entries(OUTCOMES).map(([value, label]) => new Option(label, value)));
    $("outcome-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const { to, outcome } = elements;
      attempt(() => control("PUT", "voice/outcomes", { to: to.value, outcome: outcome.value }));
    });
    $("manual").addEventListener(
      "change",
      ({ target }) => attempt(() => control("PUT", "voice/settings", { manual: target.checked })),
    );
    $("clear").addEventListener("click", () => attempt(() => control("DELETE", "calls")));
  }

  showSettings(settings) {
    $("manual").checked = settings.manual;
    this.#settings.show(settings);
  }

  showOutcomes(outcomes) {
    $("outcomes").replaceChildren(...outcomes.map(outcomeRow));
  }
}

function outcomeRow({ to, outcome }) {
  const row = element("li");
  const head = element("div", "row-head");
  head.append(element("span", "", `+${to}`), element("span", "pill", OUTCOMES[outcome]));
  const remove = actionButton("Remove", `Remove the outcome for +${to}`);
  remove.addEventListener("click", () => attempt(() => control("DELETE", `voice/outcomes?to=${to}`)));
  const actions = element("div", "actions");
  actions.append(remove);
  row.append(head, actions);
  return row;
}
