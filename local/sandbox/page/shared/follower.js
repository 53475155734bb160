import { $ } from "./dom.js";

const AGAIN_MS = 1000;

/**
 * Reads the present state, then follows it from exactly there, so that no change is lost. Reads it again when the
 * server can no longer resume the stream.
 */
export class Follower {
  #stream;
  /** Counts the starts: a newer start replaces an older one. */
  #starts = 0;

  /** `read` fetches the state and returns `{after, show}`; `onEvent` receives each change. */
  constructor({ read, onEvent }) {
    this.read = read;
    this.onEvent = onEvent;
  }

  /** Starts anew, as after another search. */
  async start() {
    const start = ++this.#starts;
    this.#stream?.close();
    try {
      const { after, show } = await this.read();
      if (start !== this.#starts) return;
      show();
      this.#listen(after);
    } catch {
      showLive(false);
      if (start === this.#starts) setTimeout(() => this.start(), AGAIN_MS);
    }
  }

  #listen(after) {
    const stream = new EventSource(`/sandbox/events?after=${encodeURIComponent(after)}`);
    this.#stream = stream;
    stream.addEventListener("open", () => showLive(true));
    stream.addEventListener("reset", () => this.start());
    stream.addEventListener("message", ({ data }) => {
      for (const event of JSON.parse(data)) this.onEvent(event);
    });
    stream.addEventListener("error", () => {
      showLive(false);
      if (stream.readyState === EventSource.CLOSED) setTimeout(() => this.start(), AGAIN_MS);
    });
  }
}

function showLive(on) {
  $("live").textContent = on ? "Live" : "Reconnecting";
  $("live").classList.toggle("on", on);
}
