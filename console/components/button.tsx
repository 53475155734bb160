import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

export interface ButtonProps {
  children?: ComponentChildren;
  icon?: IconName | undefined;
  /** The name, where the button has no text. */
  label?: string | undefined;
  /** `main` for the one that a page is for, `danger` for what cannot be undone, `quiet` in tables and bars. */
  kind?: "plain" | "main" | "danger" | "quiet";
  type?: "button" | "submit";
  disabled?: boolean | undefined;
  title?: string | undefined;
  /** While it returns a promise, the button is busy and cannot be pressed again. */
  onPress?: () => unknown;
}

/** A button. */
export function Button(
  { children, icon, label, kind = "plain", type = "button", disabled = false, title, onPress }: ButtonProps,
) {
  const [isBusy, setBusy] = useState(false);

  async function press(): Promise<void> {
    if (isBusy) return;
    const result = onPress?.();
    if (!(result instanceof Promise)) return;
    setBusy(true);
    await result.finally(() => setBusy(false));
  }

  return (
    <button
      type={type}
      class={`button ${kind}${children === undefined ? " bare" : ""}`}
      aria-label={label}
      aria-busy={isBusy}
      title={title ?? label}
      disabled={disabled}
      onClick={() => void press()}
    >
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}

/** A link that looks like a button: it leads somewhere, so it can be opened in a new tab. */
export function ButtonLink(
  { href, children, kind = "plain", icon }: Pick<ButtonProps, "children" | "kind" | "icon"> & {
    href: string;
  },
) {
  return (
    <a class={`button ${kind}`} href={href}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  );
}
