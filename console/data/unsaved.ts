import { useLayoutEffect } from "preact/hooks";

/** The forms with something typed that is not saved, and whether they restore it when they are opened again. */
const unsaved = new Set<{ isKept: boolean }>();

let ask: (isKept: boolean) => Promise<boolean> = () => Promise.resolve(true);

/** Names the question, which has words and a dialog. */
export function askBeforeLeaving(question: (isKept: boolean) => Promise<boolean>): void {
  ask = question;
  addEventListener("beforeunload", (event) => hasUnsaved() && event.preventDefault());
}

/** Whether something typed would be lost. */
export function hasUnsaved(): boolean {
  return unsaved.size > 0;
}

/** Returns whether the page may be left: nothing is lost by that, or the member agrees, and nothing holds it any more. */
export async function mayLeave(): Promise<boolean> {
  if (!hasUnsaved()) return true;
  const isAgreed = await ask([...unsaved].every(({ isKept }) => isKept));
  if (isAgreed) unsaved.clear();
  return isAgreed;
}

/** Asks before the page is left, while the part is on it and has something that is not saved. */
export function useUnsaved(isUnsaved: boolean, isKept = false): void {
  // Before the browser paints: a response that leads elsewhere may be there sooner.
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    const part = { isKept };
    unsaved.add(part);
    return () => unsaved.delete(part);
  }, [isUnsaved]);
}
