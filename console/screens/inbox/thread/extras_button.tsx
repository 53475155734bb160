import { useState } from "preact/hooks";
import { Button } from "../../../components/button.tsx";
import { chatExtraWords } from "../../../i18n/chat_extra_words.ts";
import type { ExtrasDialogProps } from "./extras_dialog.tsx";

/** Opens the form for quick replies and cards, which is loaded when it is first used. */
export function ExtrasButton(props: Omit<ExtrasDialogProps, "onClose">) {
  const [Form, setForm] = useState<(props: ExtrasDialogProps) => preact.JSX.Element>();
  const [isOpen, setOpen] = useState(false);

  async function show(): Promise<void> {
    const { ExtrasDialog } = await import("./extras_dialog.tsx");
    setForm(() => ExtrasDialog);
    setOpen(true);
  }

  return (
    <>
      <Button kind="quiet" icon="list" label={chatExtraWords().title} onPress={show} />
      {isOpen && Form && <Form {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
