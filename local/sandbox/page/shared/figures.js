import { control } from "./dom.js";
import { showCounts, showShown } from "./header.js";

const REFRESH_MS = 1000;

/** The figures in the top bar, and how many of all phones are on the page. */
export class Figures {
  #phones = 0;
  #shown = 0;

  /** `counts` holds a function for each label; `path` is where they are read from; `nothing` says that there is no phone. */
  constructor({ counts, path, nothing }) {
    this.counts = counts;
    this.path = path;
    this.nothing = nothing;
  }

  show(stats) {
    this.#phones = stats.phones;
    this.#showPhones();
    showCounts(this.counts, stats);
  }

  /** Shows how many phones are on the page. */
  setShown(shown) {
    this.#shown = shown;
    this.#showPhones();
  }

  /** Reads the figures again and again, while the page is visible. */
  async follow() {
    if (!document.hidden) await control("GET", this.path).then((stats) => this.show(stats), () => {});
    setTimeout(() => this.follow(), REFRESH_MS);
  }

  #showPhones() {
    showShown(this.#shown, this.#phones, this.nothing);
  }
}
