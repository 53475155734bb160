import { useState } from "preact/hooks";
import { Button } from "../../../components/button.tsx";
import { later } from "../../../components/dialog/later.tsx";
import type { TemplateDialogProps } from "./template_dialog.tsx";

/** {@link TemplateButton}'s dialog, which is loaded when it is first opened. */
export const TemplateDialog = later(async () => (await import("./template_dialog.tsx")).TemplateDialog);

/** Opens the choice of templates: all that WhatsApp takes once the window is closed. */
export function TemplateButton(
  { label, ...props }: Omit<TemplateDialogProps, "onClose"> & { label: string },
) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="main" icon="send" onPress={() => setOpen(true)}>{label}</Button>
      {isOpen && <TemplateDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
