import { element } from "./bubble.js";
import { call, Controls } from "./controls.js";
import { PhoneList } from "./phones.js";

const $ = (id) => document.getElementById(id);
const number = new Intl.NumberFormat();
const COUNTS = {
  accepted: (stats) => stats.accepted,
  refused: (stats) => Object.values(stats.refused).reduce((sum, count) => sum + count, 0),
  "webhooks sent": (stats) => stats.webhooks.sent,
  waiting: (stats) => stats.webhooks.pending,
};
const STATS_MS = 1000;

/** Phones there are, and phones on the page. */
let phoneCount = 0;
let shownCount = 0;
const phones = new PhoneList($("phones"), (shown) => {
  shownCount = shown;
  showShown();
});
const controls = new Controls();
let stream;
/** Counts the times the page started to follow; an older start gives way to a newer one. */
let turns = 0;

const ON_EVENT = {
  message: ({ message }) => phones.addMessage(message),
  status: (event) => phones.setStatus(event),
  template: (event) => controls.setTemplate(event),
  settings: ({ settings }) => controls.showSettings(settings),
  faults: ({ faults }) => controls.showFaults(faults),
  account: () => controls.load(),
  cleared: () => phones.clear(),
};

/** Reads the present state, then follows it from exactly there: nothing between the two is lost. */
async function follow() {
  const turn = ++turns;
  stream?.close();
  const search = $("search").value.replace(/\D/g, "");
  try {
    const [state] = await Promise.all([call("GET", `phones?search=${search}`), controls.load()]);
    if (turn !== turns) return;
    showStats(state.stats);
    phones.reset(state.phones, search);
    listen(state.last_event_id);
  } catch {
    showLive(false);
    if (turn === turns) setTimeout(follow, 1000);
  }
}

function listen(after) {
  stream = new EventSource(`/sandbox/events?after=${encodeURIComponent(after)}`);
  stream.addEventListener("open", () => showLive(true));
  stream.addEventListener("reset", follow);
  stream.addEventListener("message", ({ data }) => {
    for (const event of JSON.parse(data)) ON_EVENT[event.kind]?.(event);
  });
  stream.addEventListener("error", () => {
    showLive(false);
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, 1000);
  });
}

function showLive(on) {
  $("live").textContent = on ? "Live" : "Reconnecting";
  $("live").classList.toggle("on", on);
}

function showStats(stats) {
  phoneCount = stats.phones;
  showShown();
  $("counts").replaceChildren(
    ...Object.entries(COUNTS).map(([label, count]) => {
      const pair = element("div");
      pair.append(element("dt", "", label), element("dd", "", number.format(count(stats))));
      return pair;
    }),
  );
}

function showShown() {
  const shown = shownCount;
  const total = Math.max(phoneCount, shown);
  const searching = $("search").value !== "";
  $("shown").textContent = shown < total
    ? `${number.format(shown)} of ${number.format(total)} phones${
      searching ? " found" : ", the latest first"
    }`
    : "";
  $("empty").hidden = shown > 0;
  $("empty").querySelector("h2").textContent = searching ? "No phone has this number" : "No messages yet";
}

async function refreshStats() {
  if (!document.hidden) await call("GET", "stats").then(showStats, () => {});
  setTimeout(refreshStats, STATS_MS);
}

let typing;
$("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(follow, 200);
});
$("toggle").addEventListener("click", () => {
  const open = $("panel").classList.toggle("open");
  $("toggle").setAttribute("aria-expanded", String(open));
});

controls.listen();
await follow();
refreshStats();
