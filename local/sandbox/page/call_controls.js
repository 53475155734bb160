import { attempt, call } from "./api.js";
import { element } from "./bubble.js";
import { actionButton, FaultPanel } from "./fault_panel.js";
import { SettingsPanel } from "./settings_panel.js";

/** Faults the panel offers: what the field beside it means, and what it starts with. */
const FAULTS = {
  http: { label: "Refuse with an HTTP status", value: 429 },
  success_false: { label: "Answer success: false" },
  latency_ms: { label: "Answer late, milliseconds", value: 3000 },
  hang: { label: "Call, never answer" },
  drop: { label: "Call, close the socket" },
  drop_before: { label: "Close the socket, do not call" },
  invalid_json: { label: "Call, answer broken JSON" },
  null_ids: { label: "Call, answer without ids" },
  duplicate: { label: "Tell each event twice" },
  reorder: { label: "Tell the last event first" },
  delay_ms: { label: "Tell later, milliseconds", value: 5000 },
  early_webhook: { label: "Tell before answering" },
  no_echo: { label: "Leave our reference out" },
  lose: { label: "Tell nothing" },
};
const SETTINGS = {
  ring_ms: "Rings, ms",
  no_answer_ms: "Rings unanswered, ms",
  talk_ms: "Conversation, ms",
  analysis_ms: "Analysis, ms",
  latency_ms: "Every answer takes, ms",
  duration_secs: "Reported length, s",
  concurrency: "Calls at a time",
  calls_per_second: "Calls a second",
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

const $ = (id) => document.getElementById(id);

/** The panel: who answers, faults, settings. Shows what the server says, never what was only asked for. */
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
    empty: { duration_secs: "the real one", concurrency: "each its own", calls_per_second: "each its own" },
  });

  /** Reads everything anew. */
  async load() {
    const [outcomes, faults, settings] = await Promise.all(
      ["voice/outcomes", "voice/faults", "voice/settings"].map((name) => call("GET", name)),
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
      attempt(() => call("PUT", "voice/outcomes", { to: to.value, outcome: outcome.value }));
    });
    $("manual").addEventListener(
      "change",
      ({ target }) => attempt(() => call("PUT", "voice/settings", { manual: target.checked })),
    );
    $("clear").addEventListener("click", () => attempt(() => call("DELETE", "calls")));
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
  const remove = actionButton("Remove", `Remove the decision for +${to}`);
  remove.addEventListener("click", () => attempt(() => call("DELETE", `voice/outcomes?to=${to}`)));
  const actions = element("div", "actions");
  actions.append(remove);
  row.append(head, actions);
  return row;
}
