import { useEffect, useRef, useState } from "preact/hooks";
import { EMOJI } from "../../widget/shared/emoji.ts";
import { Button } from "./button.tsx";

/** A button that opens emoji to choose from. */
export function EmojiButton({ label, onChoose }: { label: string; onChoose: (emoji: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    box.current!.querySelector<HTMLElement>(".emoji button")?.focus();
    const leave = (event: Event) => !box.current!.contains(event.target as Node) && setOpen(false);
    document.addEventListener("pointerdown", leave);
    return () => document.removeEventListener("pointerdown", leave);
  }, [isOpen]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !isOpen) return;
    event.stopPropagation();
    setOpen(false);
    box.current!.querySelector("button")?.focus();
  }

  return (
    <div ref={box} class="emoji-box" onKeyDown={onKeyDown}>
      <Button kind="quiet" icon="smile" label={label} onPress={() => setOpen(!isOpen)} />
      {isOpen && (
        <div class="emoji" role="group" aria-label={label}>
          {EMOJI.map((emoji) => (
            <button
              key={emoji}
              type="button"
              onClick={() => {
                setOpen(false);
                onChoose(emoji);
              }}
            >
              {emoji}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
