import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { words } from "../i18n/words.ts";

const SHOWN_MS = 2000;

/** A button that copies a text, and says so. */
export function Copy({ text, label }: { text: string; label?: string }) {
  const [isDone, setDone] = useState(false);

  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), SHOWN_MS);
  }

  return (
    <>
      <Button
        kind="quiet"
        icon="copy"
        label={isDone ? words().common.copied : label ?? words().common.copy}
        onPress={copy}
      />
      <span class="unseen" role="status">{isDone && words().common.copied}</span>
    </>
  );
}
