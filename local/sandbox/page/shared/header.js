import { $, element } from "./dom.js";

const number = new Intl.NumberFormat();
const TYPING_MS = 200;

/** Shows the figures in the top bar; `counts` holds a function for each label. */
export function showCounts(counts, stats) {
  $("counts").replaceChildren(
    ...Object.entries(counts).map(([label, count]) => {
      const pair = element("div");
      pair.append(element("dt", "", label), element("dd", "", number.format(count(stats))));
      return pair;
    }),
  );
}

/** Shows how many of all phones are on the page, or that there is none. */
export function showShown(shown, there, nothing) {
  const total = Math.max(there, shown);
  const searching = $("search").value !== "";
  $("shown").textContent = shown < total
    ? `${number.format(shown)} of ${number.format(total)} phones${
      searching ? " found" : ", the latest first"
    }`
    : "";
  $("empty").hidden = shown > 0;
  $("empty").querySelector("h2").textContent = searching ? "No phone has this number" : nothing;
}

/** The digits in the search field. */
export function searched() {
  return $("search").value.replace(/\D/g, "");
}

/** Calls `onSearch` after the user typed a search; opens and closes the panel on small screens. */
export function listenToHeader(onSearch) {
  let typing;
  $("search").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(onSearch, TYPING_MS);
  });
  $("toggle").addEventListener("click", () => {
    const open = $("panel").classList.toggle("open");
    $("toggle").setAttribute("aria-expanded", String(open));
  });
}
