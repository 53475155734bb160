const $ = (id) => document.getElementById(id);
const AGAIN_MS = 1000;

/**
 * Reads the present state, then follows it from exactly there: nothing between the two is lost. What cannot be
 * followed from where it broke off is read anew.
 */
export class Follower {
  #stream;
  /** Counts the starts; an older one gives way to a newer one. */
  #turns = 0;

  /** `read` fetches the state and gives `{after, show}`; `onEvent` gets each change. */
  constructor({ read, onEvent }) {
    this.read = read;
    this.onEvent = onEvent;
  }

  /** Starts anew, as after another search. */
  async start() {
    const turn = ++this.#turns;
    this.#stream?.close();
    try {
      const { after, show } = await this.read();
      if (turn !== this.#turns) return;
      show();
      this.#listen(after);
    } catch {
      showLive(false);
      if (turn === this.#turns) setTimeout(() => this.start(), AGAIN_MS);
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
