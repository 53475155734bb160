import { $, control } from "../shared/dom.js";
import { Figures } from "../shared/figures.js";
import { Follower } from "../shared/follower.js";
import { listenToHeader, searched } from "../shared/header.js";
import { CallControls } from "./call_controls.js";
import { CallList } from "./call_list.js";

const COUNTS = {
  calls: (stats) => stats.accepted,
  now: (stats) => stats.active,
  peak: (stats) => stats.most_at_once,
  refused: (stats) => Object.values(stats.refused).reduce((sum, count) => sum + count, 0),
  "webhooks sent": (stats) => stats.webhooks.sent,
};

const figures = new Figures({ counts: COUNTS, path: "voice/stats", nothing: "No calls yet" });
const phones = new CallList($("phones"), (shown) => figures.setShown(shown));
const controls = new CallControls();
/** Calls that were announced as ringing. */
const announced = new Set();

const ON_EVENT = {
  call(event) {
    phones.setCall(event.call);
    announce(event.call);
  },
  voice_settings: ({ settings }) => controls.showSettings(settings),
  voice_faults: ({ faults }) => controls.faults.show(faults),
  voice_outcomes: ({ outcomes }) => controls.showOutcomes(outcomes),
  calls_cleared: () => phones.clear(),
};

const follower = new Follower({
  async read() {
    const search = searched();
    const [state] = await Promise.all([control("GET", `voice/phones?search=${search}`), controls.load()]);
    return {
      after: state.last_event_id,
      show() {
        figures.show(state.stats);
        phones.reset(state.phones, search);
      },
    };
  },
  onEvent: (event) => ON_EVENT[event.kind]?.(event),
});

/** Announces a ringing phone to screen readers, when phones are answered manually. */
function announce({ id, to, status }) {
  if (status !== "ringing") return announced.delete(id);
  if (!$("manual").checked || announced.has(id)) return;
  announced.add(id);
  $("announce").textContent = `${to} is ringing`;
}

listenToHeader(() => follower.start());
controls.listen();
await follower.start();
figures.follow();
