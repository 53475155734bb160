import { Button } from "../button.tsx";
import { Copy } from "../copy.tsx";
import { Dialog } from "./dialog.tsx";
import { words } from "../../i18n/words.ts";

/** A secret that the API returns this once. */
export function SecretDialog({ title, secret, children, onClose }: {
  title: string;
  secret: string;
  /** Says what it is for. */
  children: string;
  onClose: () => void;
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      staysOpen
      actions={<Button kind="main" onPress={onClose}>{words().common.keptIt}</Button>}
    >
      <p>{children}</p>
      <p class="secret">
        <code>{secret}</code>
        <Copy text={secret} />
      </p>
      <p>
        <strong>{words().common.shownOnce}</strong>
      </p>
    </Dialog>
  );
}
