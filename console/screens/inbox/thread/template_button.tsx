import { useState } from "preact/hooks";
import type { InboxConversation } from "../../../data/sdk.ts";
import { Button } from "../../../components/button.tsx";
import { TemplateDialog } from "./template_dialog.tsx";
import { words } from "../../../i18n/words.ts";

/** Opens the choice of templates: all that WhatsApp takes once the window is closed. */
export function TemplateButton({ conversation }: { conversation: InboxConversation }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="main" icon="send" onPress={() => setOpen(true)}>{words().inbox.template}</Button>
      {isOpen && <TemplateDialog conversation={conversation} onClose={() => setOpen(false)} />}
    </>
  );
}
