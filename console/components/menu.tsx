import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

interface MenuProps {
  label: string;
  /** Shown in place of the label. */
  icon?: IconName;
  /** Shows what is in it; `close` returns the focus, which would be gone with the panel. */
  children: (close: () => void) => ComponentChildren;
}

/** A button that opens a panel below it, until Escape or a press beside it. */
export function Menu({ label, icon, children }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);

  function close(): void {
    menu.current!.open = false;
    menu.current!.querySelector("summary")!.focus();
  }

  useEffect(() => {
    const closeOutside = ({ target }: Event) => {
      if (!menu.current!.contains(target as Node)) menu.current!.open = false;
    };
    addEventListener("pointerdown", closeOutside);
    return () => removeEventListener("pointerdown", closeOutside);
  }, []);
  return (
    <details ref={menu} class="menu" onKeyDown={(event) => event.key === "Escape" && close()}>
      {icon
        ? (
          <summary class="button quiet bare" aria-label={label} title={label}>
            <Icon name={icon} />
          </summary>
        )
        : <summary class="button">{label}</summary>}
      <div class="menu-panel">{children(close)}</div>
    </details>
  );
}
