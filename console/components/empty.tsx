import type { ComponentChildren } from "preact";

/** Stands where nothing is: says why, and what to do next. */
export function Empty(
  { title, children, action }: { title: string; children?: ComponentChildren; action?: ComponentChildren },
) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}
