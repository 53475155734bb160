import { useState } from "preact/hooks";
import { Button } from "../../../components/button.tsx";
import { later } from "../../../components/dialog/later.tsx";
import { chatExtraWords } from "../../../i18n/chat_extra_words.ts";
import type { ExtrasDialogProps } from "./extras_dialog.tsx";

const ExtrasDialog = later(async () => (await import("./extras_dialog.tsx")).ExtrasDialog);

/** Opens the form for quick replies and cards. */
export function ExtrasButton(props: Omit<ExtrasDialogProps, "onClose">) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" icon="list" label={chatExtraWords().title} onPress={() => setOpen(true)} />
      {isOpen && <ExtrasDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
