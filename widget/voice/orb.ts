import { makeElement } from "../shared/make_element.ts";
import type { VoiceWidget } from "./schemas.ts";
import type { OrbMood } from "./view.ts";

export interface Orb {
  element: HTMLElement;
  /** @param level asked at every frame, 0 to 1; without it the orb does not follow any sound */
  show(mood: OrbMood, level?: () => number): void;
}

/** How much of the way to a new level is gone in one frame, so that it swells and does not flicker. */
const SMOOTHING = 0.3;

/**
 * The two-coloured ball that moves with the voice that is heard. It says nothing that is not also written: it is hidden
 * from screen readers, and stands still for whoever wants less motion (the moods still look different).
 */
export function createOrb({ type, speed, intensity }: VoiceWidget["animation"]): Orb {
  const ball = makeElement("span", { class: "ball" });
  const element = makeElement("div", { class: `orb ${type}`, "aria-hidden": "true" }, ball);
  element.style.setProperty("--turn", `${8 / Math.max(speed, 0.1)}s`);
  element.style.setProperty("--beat", `${1.8 / Math.max(speed, 0.1)}s`);
  element.style.setProperty("--swell", String(intensity * 0.5));
  const stillness = matchMedia("(prefers-reduced-motion: reduce)");
  let ask: (() => number) | undefined;
  let level = 0;
  let frame = 0;

  function draw(): void {
    frame = 0;
    const wanted = ask && !stillness.matches ? Math.min(Math.max(ask(), 0), 1) : 0;
    level += (wanted - level) * SMOOTHING;
    element.style.setProperty("--level", level.toFixed(3));
    if (ask || level > 0.01) frame = requestAnimationFrame(draw);
  }

  return {
    element,
    show(mood, wanted) {
      element.dataset.mood = mood;
      ask = type === "none" ? undefined : wanted;
      if (frame === 0) draw();
    },
  };
}
