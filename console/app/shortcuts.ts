import { signal } from "@preact/signals";
import { company, link } from "../data/company.ts";
import { toggleLive } from "../data/live/live.ts";
import { navigate } from "../data/route.ts";
import { maySee } from "./may_see.ts";
import { SCREENS } from "./screens.ts";

/** Which helper is open above the screen. */
export const openHelper = signal<"palette" | "help" | undefined>(undefined);

/** The time in which the second key of `g c` counts. */
const SEQUENCE_MS = 1200;

let isGoing = false;

/** Listens to the keys of the whole page. None of them works while something is typed. */
export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (company.peek() === undefined) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "k") {
      event.preventDefault();
      openHelper.value = "palette";
      return;
    }
    if (
      event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) ||
      document.querySelector("dialog[open]")
    ) {
      return;
    }
    if (pressed(event.key)) event.preventDefault();
  });
}

/** Does what a key stands for; returns whether it stands for anything. */
function pressed(key: string): boolean {
  if (isGoing) {
    isGoing = false;
    const screen = SCREENS.find((each) => each.key === key && maySee(each));
    if (screen) navigate(link([screen.path]));
    return screen !== undefined;
  }
  const act = KEYS[key];
  act?.();
  return act !== undefined;
}

const KEYS: Record<string, () => void> = {
  "g": () => {
    isGoing = true;
    setTimeout(() => isGoing = false, SEQUENCE_MS);
  },
  "?": () => openHelper.value = "help",
  "l": toggleLive,
  "/": () => document.querySelector<HTMLElement>(".filters input, .filters select")?.focus(),
  "j": () => moveRow(1),
  "k": () => moveRow(-1),
};

function moveRow(by: number): void {
  const links = [...document.querySelectorAll<HTMLElement>("main .row-link")];
  const now = links.findIndex((each) => each === document.activeElement);
  links[Math.min(links.length - 1, Math.max(0, now + by))]?.focus();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}
