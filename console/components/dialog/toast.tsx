import { signal } from "@preact/signals";
import { readAllShown } from "../../data/entries.ts";
import { isChangedMeanwhile, Problem } from "../../data/problem.ts";
import { Button } from "../button.tsx";
import { describeProblem } from "../error_notice.tsx";
import { words } from "../../i18n/words.ts";

interface Toast {
  id: number;
  text: string;
  isBad: boolean;
  /** The thing that it is about: a newer toast about it takes its place. */
  about?: string | undefined;
  action: { label: string; act: () => unknown } | undefined;
}

/** Long enough to read it and to reach the button. */
const SHOWN_MS = 8000;

const toasts = signal<Toast[]>([]);
let lastId = 0;

/** Says that something was done, with a way back where there is one. */
export function toast(
  text: string,
  { undo, isBad = false, about }: { undo?: () => unknown; isBad?: boolean; about?: string } = {},
): void {
  show({ text, isBad, about, action: undo && { label: words().common.undo, act: undo } });
}

function show(shown: Omit<Toast, "id">): void {
  const id = ++lastId;
  const others = toasts.value.filter(({ about }) => about === undefined || about !== shown.about);
  toasts.value = [...others, { id, ...shown }];
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Does something, and shows a refusal as a toast. Returns undefined then. */
export async function attempt<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const action = isChangedMeanwhile(error)
      ? { label: words().common.reload, act: readAllShown }
      : undefined;
    show({ text: describeProblem(error), isBad: true, action });
  }
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}

/** Where toasts show; once per page. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, isBad, action }) => (
        <div key={id} class={`toast${isBad ? " bad" : ""}`}>
          <span>{text}</span>
          {action && (
            <Button
              kind="quiet"
              onPress={() => {
                dismiss(id);
                return action.act();
              }}
            >
              {action.label}
            </Button>
          )}
          <Button kind="quiet" icon="close" label={words().common.close} onPress={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
