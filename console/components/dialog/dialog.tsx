import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "../button.tsx";
import { words } from "../../i18n/words.ts";

interface DialogProps {
  title: string;
  /** Called by Escape, by the close button, and by a press beside it. */
  onClose: () => void;
  /** A press beside it does nothing: what is in it would be lost. */
  staysOpen?: boolean;
  children: ComponentChildren;
  /** `side` is a panel at the right edge. */
  position?: "middle" | "side";
  /** At the bottom, the main one last. */
  actions?: ComponentChildren;
}

const FIELD = ".dialog-body :is(input, select, textarea):not(:disabled)";

/** The browser's own dialog: it holds the focus, and gives it back. Shown as long as it is on the page. */
export function Dialog(
  { title, onClose, staysOpen = false, children, position = "middle", actions }: DialogProps,
) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current!.showModal();
    // A member who opened a form is there to write, not to close it.
    if (position === "middle") element.current!.querySelector<HTMLElement>(FIELD)?.focus();
    return () => before instanceof HTMLElement && before.focus();
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${position}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === element.current && !staysOpen && onClose()}
    >
      <div class="dialog-box">
        <header>
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" icon="close" label={words().common.close} onPress={onClose} />
        </header>
        {/* Long text in a drawer is scrolled with the keys. */}
        <div class="dialog-body" tabIndex={position === "side" ? 0 : undefined}>{children}</div>
        {actions && <footer>{actions}</footer>}
      </div>
    </dialog>
  );
}

/** Details of a row, at the right edge. */
export function Drawer(props: Omit<DialogProps, "position">) {
  return <Dialog {...props} position="side" />;
}
