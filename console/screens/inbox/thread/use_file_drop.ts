import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Takes files that are dropped anywhere on the pane around an element. Returns whether some are above it. */
export function useFileDrop(
  inside: RefObject<Element | null>,
  isOn: boolean,
  onFiles: (files: File[]) => void,
): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const pane = isOn ? inside.current?.closest<HTMLElement>(".thread-pane") : null;
    if (!pane) return;
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => !pane.contains(event.relatedTarget as Node | null) && setOver(false);
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      onFiles([...event.dataTransfer?.files ?? []]);
    };
    pane.addEventListener("dragover", over);
    pane.addEventListener("dragleave", leave);
    pane.addEventListener("drop", drop);
    return () => {
      pane.removeEventListener("dragover", over);
      pane.removeEventListener("dragleave", leave);
      pane.removeEventListener("drop", drop);
    };
  }, [isOn]);
  return isOver;
}
