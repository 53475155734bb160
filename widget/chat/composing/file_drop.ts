/**
 * Takes files that are dropped onto an area. A file that is not taken is dropped in vain: the browser would open it in the
 * place of the chat.
 *
 * @param canTake whether files are taken now
 */
export function takeDroppedFiles(
  area: HTMLElement,
  { canTake, onFile }: { canTake: () => boolean; onFile: (file: File) => void },
): void {
  const mark = (isOver: boolean) => area.classList.toggle("dropping", isOver && canTake());
  area.addEventListener("dragover", (event) => {
    const { dataTransfer } = event;
    // A text goes where the browser puts it.
    if (!dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    dataTransfer.dropEffect = canTake() ? "copy" : "none";
    mark(true);
  });
  area.addEventListener("dragleave", ({ relatedTarget }) => {
    if (!area.contains(relatedTarget as Node | null)) mark(false);
  });
  area.addEventListener("drop", (event) => {
    const files = [...event.dataTransfer?.files ?? []];
    if (files.length === 0) return;
    event.preventDefault();
    mark(false);
    if (canTake()) files.forEach(onFile);
  });
}
