import { Button } from "../../../components/button.tsx";
import { Notice } from "../../../components/notice.tsx";
import type { Autosave } from "./use_autosave.ts";
import { words } from "../../../i18n/words.ts";

/** Says whether what is written is stored. */
export function SaveState({ autosave: { state, keep }, onReload }: {
  autosave: Autosave;
  onReload: () => void;
}) {
  const names = words().compose.drafts;
  if (state === "changed") {
    return (
      <Notice
        title={names.changed}
        actions={
          <>
            <Button onPress={onReload}>{names.reload}</Button>
            <Button onPress={keep}>{names.keep}</Button>
          </>
        }
      >
        {names.changedHelp}
      </Notice>
    );
  }
  return (
    <p class={state === "failed" ? "error" : "help"} role="status">{state === "none" ? "" : names[state]}</p>
  );
}
