import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { TemplateDialog } from "../inbox/thread/template_dialog.tsx";
import { words } from "../../i18n/words.ts";

/** Sends a template to a person. */
export function SendButton({ address }: { address: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="main" icon="send" onPress={() => setOpen(true)}>{words().contact.send}</Button>
      {isOpen && <TemplateDialog number={address} onClose={() => setOpen(false)} />}
    </>
  );
}
