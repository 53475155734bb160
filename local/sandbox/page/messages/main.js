import { $, control } from "../shared/dom.js";
import { Follower } from "../shared/follower.js";
import { listenToHeader, searched, showCounts, showShown } from "../shared/header.js";
import { Controls } from "./controls.js";
import { PhoneList } from "./phones.js";

const COUNTS = {
  accepted: (stats) => stats.accepted,
  refused: (stats) => Object.values(stats.refused).reduce((sum, count) => sum + count, 0),
  "webhooks sent": (stats) => stats.webhooks.sent,
  waiting: (stats) => stats.webhooks.pending,
};
const STATS_MS = 1000;

/** All phones, and the phones on the page. */
let phoneCount = 0;
let shownCount = 0;
const phones = new PhoneList($("phones"), (shown) => {
  shownCount = shown;
  showShown(shownCount, phoneCount, "No messages yet");
});
const controls = new Controls();

const ON_EVENT = {
  message: ({ message, person }) => phones.addMessage(message, person),
  inbound: ({ inbound }) => phones.addReply(inbound),
  person: ({ person }) => phones.setPerson(person),
  status: (event) => phones.setStatus(event),
  template: (event) => controls.setTemplate(event),
  settings: ({ settings }) => controls.settings.show(settings),
  faults: ({ faults }) => controls.faults.show(faults),
  account: () => controls.load(),
  account_event: (event) => controls.accounts.set(event),
  cleared: () => phones.clear(),
};

const follower = new Follower({
  async read() {
    const search = searched();
    const [state] = await Promise.all([control("GET", `phones?search=${search}`), controls.load()]);
    return {
      after: state.last_event_id,
      show() {
        showStats(state.stats);
        phones.reset(state.phones, search);
      },
    };
  },
  onEvent: (event) => ON_EVENT[event.kind]?.(event),
});

function showStats(stats) {
  phoneCount = stats.phones;
  showShown(shownCount, phoneCount, "No messages yet");
  showCounts(COUNTS, stats);
}

async function refreshStats() {
  if (!document.hidden) await control("GET", "stats").then(showStats, () => {});
  setTimeout(refreshStats, STATS_MS);
}

listenToHeader(() => follower.start());
controls.listen();
await follower.start();
refreshStats();
