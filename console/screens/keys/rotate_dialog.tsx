import { useState } from "preact/hooks";
import type { RotatedKey } from "../../data/sdk.ts";
import { Field } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { SecretDialog } from "../../components/dialog/secret_dialog.tsx";
import { moment } from "../../i18n/format.ts";
import { keyWords } from "../../i18n/key_words.ts";

/** Asks how long the old key works beside the new one, and shows that once. */
export function RotateDialog({ title, rotate, onClose, onRotated }: {
  title: string;
  rotate: (body: { overlap_hours: number }) => Promise<RotatedKey>;
  onClose: () => void;
  onRotated: () => void;
}) {
  const [hours, setHours] = useState("0");
  const [rotated, setRotated] = useState<RotatedKey>();
  const names = keyWords();
  if (rotated) {
    const isOver = Number(hours) === 0;
    return (
      <SecretDialog title={names.newKey} secret={rotated.key} onClose={onClose}>
        {isOver ? names.newKeyText : names.newKeyTextUntil(moment(rotated.old_expires_at))}
      </SecretDialog>
    );
  }

  async function save(): Promise<void> {
    setRotated(await rotate({ overlap_hours: Number(hours) }));
    onRotated();
  }

  return (
    <FormDialog title={title} action={names.rotate} onSave={save} onClose={onClose}>
      {(errorOf) => (
        <>
          <p>{names.rotateText}</p>
          <Field
            label={names.overlap}
            help={names.overlapHelp}
            type="number"
            value={hours}
            error={errorOf("overlap_hours")}
            onChange={setHours}
          />
        </>
      )}
    </FormDialog>
  );
}
