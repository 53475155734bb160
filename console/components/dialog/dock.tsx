import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** Stays at the bottom whatever screen is shown: an ongoing call. Undefined where there is nothing. */
export const docked = signal<(() => ComponentChildren) | undefined>(undefined);

/** Where it shows; once per page. */
export function Dock() {
  const Content = docked.value;
  return Content
    ? (
      <div class="dock">
        <Content />
      </div>
    )
    : null;
}
