import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { stayActive } from "../../data/session/idle.ts";

/** Stays at the bottom whatever screen is shown: an ongoing call. Undefined where there is nothing. */
export const docked = signal<(() => ComponentChildren) | undefined>(undefined);

const ACTIVE_MS = 30_000;

/** Where it shows; once per page. Who talks to a caller works, without a key or a click. */
export function Dock() {
  const Content = docked.value;
  useEffect(() => {
    if (Content === undefined) return;
    const timer = setInterval(stayActive, ACTIVE_MS);
    return () => clearInterval(timer);
  }, [Content === undefined]);
  return Content
    ? (
      <div class="dock">
        <Content />
      </div>
    )
    : null;
}
