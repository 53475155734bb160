import { signal } from "@preact/signals";
import { Button } from "../button.tsx";
import { Dialog } from "./dialog.tsx";
import { words } from "../../i18n/words.ts";

/** A question before something that cannot be undone. */
export interface Question {
  title: string;
  /** Says what happens, with numbers. */
  text: string;
  /** The verb of the button: "Cancel the campaign", never "OK". */
  action: string;
  isDanger?: boolean;
}

const asked = signal<{ question: Question; answer: (yes: boolean) => void } | undefined>(undefined);

/** Asks, and returns whether the person agreed. */
export function confirm(question: Question): Promise<boolean> {
  asked.value?.answer(false);
  return new Promise((resolve) => {
    asked.value = {
      question,
      answer(yes) {
        asked.value = undefined;
        resolve(yes);
      },
    };
  });
}

/** Where questions show; once per page. */
export function Confirm() {
  if (asked.value === undefined) return null;
  const { question: { title, text, action, isDanger = false }, answer } = asked.value;
  return (
    <Dialog
      title={title}
      onClose={() => answer(false)}
      actions={
        <>
          <Button onPress={() => answer(false)}>{words().common.cancel}</Button>
          <Button kind={isDanger ? "danger" : "main"} onPress={() => answer(true)}>{action}</Button>
        </>
      }
    >
      <p>{text}</p>
    </Dialog>
  );
}
