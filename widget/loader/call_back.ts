import type { Theme } from "./theme.ts";

const BLINK_MS = 1000;

/** Two notes, in hertz. */
const NOTES = [660, 880] as const;
const NOTE_S = 0.12;

/** Calls a visitor back to a page that is hidden, in the ways that the widget has switched on. */
export function createCallBack(): (features: Theme["features"], title: string) => void {
  let timer: number | undefined;
  return (features, title) => {
    if (features.sound) playNotes();
    if (features.titleBlink && timer === undefined) timer = blink(title, () => timer = undefined);
  };
}

/** Alternates the page's title with another one until the page is visible; shows only the other to who prefers no motion. */
function blink(other: string, onEnd: () => void): number {
  const own = document.title;
  const swap = () => document.title = document.title === other ? own : other;
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const timer = setInterval(() => isStill || swap(), BLINK_MS);
  swap();
  const end = () => {
    if (document.hidden) return;
    clearInterval(timer);
    document.removeEventListener("visibilitychange", end);
    // The page may have changed its title meanwhile.
    if (document.title === other) document.title = own;
    onEnd();
  };
  document.addEventListener("visibilitychange", end);
  return timer;
}

/** Plays the notes, on a page that the visitor has used: browsers keep others silent, and report the attempt. */
function playNotes(): void {
  if (navigator.userActivation?.hasBeenActive === false) return;
  const context = new AudioContext();
  const [volume, note] = [context.createGain(), context.createOscillator()];
  const start = context.currentTime;
  volume.gain.value = 0.08;
  note.frequency.value = NOTES[0];
  note.frequency.setValueAtTime(NOTES[1], start + NOTE_S);
  note.connect(volume).connect(context.destination);
  note.start();
  note.stop(start + 2 * NOTE_S);
  note.onended = () => void context.close();
}
