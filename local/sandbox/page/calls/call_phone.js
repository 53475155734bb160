import { showControls } from "../../../../supabase/functions/_shared/show_controls.js";
import { actionButton, attempt, control, element } from "../shared/dom.js";

const OUTCOMES = {
  answered: "Answered",
  voicemail: "Voicemail",
  busy: "Busy",
  no_answer: "No answer",
  failed: "Failed",
};
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** A phone with its calls: `show` updates it, `tick` updates its running clock. */
export function makePhone(number) {
  const root = element("li", "phone");
  const caption = element("div", "caption");
  const count = element("span", "");
  caption.append(element("h2", "", `+${number}`), count);
  const device = element("div", "device calls");
  const screen = element("div", "call-screen");
  const log = element("div", "chat");
  log.tabIndex = 0;
  log.setAttribute("role", "region");
  log.setAttribute("aria-label", `Calls to +${number}`);
  device.append(screen, log);
  root.append(caption, device);
  const shown = new Map();
  let latest;

  function show(calls) {
    latest = calls.at(-1);
    count.textContent = calls.length === 1 ? "1 call" : `${calls.length} calls`;
    showScreen(screen, latest, number);
    for (const call of calls) {
      if (!shown.has(call.id)) {
        shown.set(call.id, makeEntry());
        log.append(shown.get(call.id).root);
      }
      shown.get(call.id).show(call);
    }
    for (const [id, entry] of shown) {
      if (calls.some((call) => call.id === id)) continue;
      entry.root.remove();
      shown.delete(id);
    }
    queueMicrotask(() => log.scrollTop = log.scrollHeight);
  }

  return { root, show, tick: () => latest?.status === "talking" && showClock(screen, latest) };
}

/** The top of a phone: the caller, the state of the call, and the actions the person has. */
function showScreen(screen, call, number) {
  const state = `${call.id} ${call.status} ${call.analysed_at === null}`;
  if (screen.dataset.state === state) return;
  const hadFocus = screen.contains(document.activeElement);
  screen.dataset.state = state;
  screen.className = `call-screen ${call.status}`;
  const caller = element("p", "caller");
  caller.append(element("strong", "", call.agent_name), element("small", "", call.from));
  const actions = element("div", "call-actions");
  actions.append(...actionsOf(call, number));
  screen.replaceChildren(caller, element("p", "call-state", stateText(call)), actions);
  if (call.status === "talking") showClock(screen, call);
  if (hadFocus) (actions.querySelector("button") ?? screen.nextElementSibling).focus();
}

function stateText(call) {
  if (call.status === "ringing") return "is calling …";
  if (call.status === "talking") return "Talking";
  return `${outcomeText(call)}${call.picked_up_at === null ? "" : ` · ${duration(call.duration_secs)}`}`;
}

function outcomeText(call) {
  return call.error === null ? OUTCOMES[call.outcome] : "Conversation failed";
}

function actionsOf(call, number) {
  const button = (action, text, kind) => {
    const made = actionButton(text, `${text} the call to +${number}`);
    made.classList.add(kind);
    made.addEventListener("click", () => attempt(() => control("POST", `calls/${call.id}/${action}`)));
    return made;
  };
  if (call.status === "ringing") {
    return [button("answer", "Answer", "good"), button("reject", "Reject", "bad")];
  }
  if (call.status === "talking") return [button("hangup", "Hang up", "bad")];
  return [];
}

function showClock(screen, call) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(call.picked_up_at)) / 1000));
  screen.querySelector(".call-state").textContent = `Talking · ${duration(seconds)}`;
}

function duration(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** One call in the log: its time, what was said, and its outcome. */
function makeEntry() {
  const root = element("article", "call");
  const time = element("time", "day");
  const transcript = element("div", "transcript");
  const end = element("div", "call-end");
  root.append(time, transcript, end);

  function show(call) {
    time.dateTime = call.accepted_at;
    time.textContent = clock.format(new Date(call.accepted_at));
    time.title = `${call.id}\nref ${call.user_id ?? "none"}`;
    for (const turn of call.transcript.slice(transcript.childElementCount)) {
      transcript.append(turnElement(turn, call));
    }
    end.replaceChildren(...endOf(call));
  }
  return { root, show };
}

function turnElement({ role, message }, call) {
  const turn = element("p", `turn ${role}`);
  const who = element("span", "hidden", role === "agent" ? `${call.agent_name}: ` : "Person: ");
  turn.append(who, showControls(message));
  return turn;
}

function endOf(call) {
  if (call.status !== "ended") return [];
  const good = call.outcome === "answered" && call.error === null;
  const parts = [element("p", `outcome ${good ? "good" : call.outcome}`, outcomeText(call))];
  if (call.error !== null) parts.push(element("p", "failure", call.error.reason));
  if (call.summary !== null && call.error === null) parts.push(element("p", "summary", call.summary));
  if (call.webhooks.length > 0) {
    const isDelivered = call.webhooks.every(({ delivered }) => delivered);
    parts.push(element("p", "webhook", isDelivered ? "✓ webhook delivered" : "webhook not delivered"));
  }
  return parts;
}
