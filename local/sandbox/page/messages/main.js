import { $, control } from "../shared/dom.js";
import { Figures } from "../shared/figures.js";
import { Follower } from "../shared/follower.js";
import { listenToHeader, searched } from "../shared/header.js";
import { Controls } from "./controls.js";
import { PhoneList } from "./phones.js";

const COUNTS = {
  accepted: (stats) => stats.accepted,
  refused: (stats) => Object.values(stats.refused).reduce((sum, count) => sum + count, 0),
  "webhooks sent": (stats) => stats.webhooks.sent,
  waiting: (stats) => stats.webhooks.pending,
};

const figures = new Figures({ counts: COUNTS, path: "stats", nothing: "No messages yet" });
const phones = new PhoneList($("phones"), (shown) => figures.setShown(shown));
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
        figures.show(state.stats);
        phones.reset(state.phones, search);
      },
    };
  },
  onEvent: (event) => ON_EVENT[event.kind]?.(event),
});

listenToHeader(() => follower.start());
controls.listen();
await follower.start();
figures.follow();
