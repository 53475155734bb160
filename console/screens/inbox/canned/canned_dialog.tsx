import { useState } from "preact/hooks";
import type { CannedReply } from "../../../data/sdk.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog/dialog.tsx";
import { attempt, toast } from "../../../components/dialog/toast.tsx";
import { Empty } from "../../../components/empty.tsx";
import { Field } from "../../../components/form/fields.tsx";
import { Form } from "../../../components/form/form.tsx";
import { dropCannedReply, saveCannedReply, useCannedReplies } from "./canned_data.ts";
import { words } from "../../../i18n/words.ts";

type Edited = Pick<CannedReply, "shortcut" | "text"> & { canned_reply_id?: string };

/** The texts that members choose from: adds, changes and removes them. */
export function CannedDialog({ onClose }: { onClose: () => void }) {
  const { data: replies, reload } = useCannedReplies();
  const [edited, setEdited] = useState<Edited>();
  const { canned, cannedAdd, cannedEmpty, cannedEmptyHelp, cannedRemoved, cannedEdit, cannedRemove } =
    words().inbox;

  async function remove({ canned_reply_id, shortcut, text }: CannedReply): Promise<void> {
    if (!await attempt(async () => (await dropCannedReply(canned_reply_id), true))) return;
    reload();
    const undo = async () => {
      await attempt(() => saveCannedReply(undefined, { shortcut, text }));
      reload();
    };
    toast(cannedRemoved, { undo });
  }

  return (
    <Dialog
      title={canned}
      onClose={onClose}
      staysOpen={edited !== undefined}
      actions={edited === undefined && (
        <Button
          kind="main"
          icon="plus"
          onPress={() => setEdited({ shortcut: "", text: "" })}
        >
          {cannedAdd}
        </Button>
      )}
    >
      {edited
        ? (
          <CannedForm
            edited={edited}
            onDone={() => {
              setEdited(undefined);
              reload();
            }}
            onCancel={() => setEdited(undefined)}
          />
        )
        : replies?.length === 0
        ? <Empty title={cannedEmpty}>{cannedEmptyHelp}</Empty>
        : (
          <ul class="lines canned-lines">
            {replies?.map((reply) => (
              <li key={reply.canned_reply_id}>
                <span>
                  <code>/{reply.shortcut}</code>
                  <small>{reply.text}</small>
                </span>
                <Button kind="quiet" label={cannedEdit(reply.shortcut)} onPress={() => setEdited(reply)}>
                  {words().inbox.change}
                </Button>
                <Button
                  kind="quiet"
                  icon="close"
                  label={cannedRemove(reply.shortcut)}
                  onPress={() => remove(reply)}
                />
              </li>
            ))}
          </ul>
        )}
    </Dialog>
  );
}

function CannedForm({ edited, onDone, onCancel }: {
  edited: Edited;
  onDone: () => void;
  onCancel: () => void;
}) {
  const [shortcut, setShortcut] = useState(edited.shortcut);
  const [text, setText] = useState(edited.text);
  const { cannedShortcut, cannedShortcutHelp, cannedTaken, cannedText, cannedTextHelp } = words().inbox;
  return (
    <Form
      action={words().common.save}
      disabled={shortcut === "" || text.trim() === ""}
      others={<Button onPress={onCancel}>{words().common.cancel}</Button>}
      onSave={async () => {
        await saveCannedReply(edited.canned_reply_id, { shortcut, text });
        onDone();
      }}
    >
      {(errorOf) => (
        <>
          <Field
            label={cannedShortcut}
            help={cannedShortcutHelp}
            error={errorOf("shortcut") && cannedTaken}
            value={shortcut}
            onChange={(typed) => setShortcut(typed.toLowerCase().replace(/[^a-z0-9_-]/g, "").slice(0, 40))}
          />
          <Field label={cannedText} help={cannedTextHelp} rows={5} value={text} onChange={setText} />
        </>
      )}
    </Form>
  );
}
