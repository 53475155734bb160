import { makeElement } from "../shared/page.ts";
import type { VoiceWidget } from "./schemas.ts";
import type { OrbMood } from "./view.ts";

export interface Orb {
  element: HTMLElement;
  /** @param level returns the volume, 0 to 1, and is called for every frame; without it the orb follows no sound */
  show(mood: OrbMood, level?: () => number): void;
}

/** The part of the way to a new level per frame: the orb swells and does not flicker. */
const SMOOTHING = 0.3;

/**
 * Makes the two-coloured ball that moves with the current voice. It is hidden from screen readers, because the status line
 * says the same. It stands still for visitors who prefer reduced motion, but the moods still differ.
 */
export function createOrb({ type, speed, intensity }: VoiceWidget["animation"]): Orb {
  const ball = makeElement("span", { class: "ball" });
  const element = makeElement("div", { class: `orb ${type}`, "aria-hidden": "true" }, ball);
  element.style.setProperty("--turn", `${8 / Math.max(speed, 0.1)}s`);
  element.style.setProperty("--beat", `${1.8 / Math.max(speed, 0.1)}s`);
  element.style.setProperty("--swell", String(intensity * 0.5));
  const stillness = matchMedia("(prefers-reduced-motion: reduce)");
  let readLevel: (() => number) | undefined;
  let level = 0;
  let frame = 0;

  function draw(): void {
    frame = 0;
    const target = readLevel && !stillness.matches ? Math.min(Math.max(readLevel(), 0), 1) : 0;
    level += (target - level) * SMOOTHING;
    element.style.setProperty("--level", level.toFixed(3));
    if (readLevel || level > 0.01) frame = requestAnimationFrame(draw);
  }

  return {
    element,
    show(mood, newLevel) {
      element.dataset.mood = mood;
      readLevel = type === "none" ? undefined : newLevel;
      if (frame === 0) draw();
    },
  };
}
