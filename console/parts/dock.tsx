import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** The ongoing call, which stays at the bottom whatever screen is shown. Undefined where there is none. */
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
