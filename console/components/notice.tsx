import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

/** Says that something is not as it should be, and what to do about it. */
export function Notice({ title, facts, children, actions, tone = "warn" }: {
  title: string;
  /** Beside the title: a code, a time. */
  facts?: ComponentChildren;
  children?: ComponentChildren;
  actions?: ComponentChildren;
  tone?: "warn" | "bad";
}) {
  return (
    <div class={`notice ${tone}`} role="status">
      <Icon name="warning" />
      <div>
        <p>
          <strong>{title}</strong> {facts && <small>{facts}</small>}
        </p>
        {children && <p>{children}</p>}
      </div>
      {actions}
    </div>
  );
}
