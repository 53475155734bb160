import { useState } from "preact/hooks";
import { api, ask, ifMatch } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { changeFurtherKey, createFurtherKey, type FurtherKey } from "../../data/sdk.ts";
import { Checkbox, Field } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { localTime, phone } from "../../i18n/format.ts";
import { useSenders } from "../senders/sender_list.ts";
import { draftOf, keyErrors, KeyFields, requestOf } from "./key_fields.tsx";
import { keyWords } from "../../i18n/key_words.ts";
import { words } from "../../i18n/words.ts";

/** A key as it was read, and what names its settings as they were. */
export interface SeenKey {
  key: FurtherKey;
  etag: string;
}

/** The settings of a new key: it may send messages, and few. */
const NEW = {
  permissions: ["chatapp_notifications" as const],
  rate_limit: 60,
  daily_quota: 1000,
};

/** Makes a key beside the access key, or changes one. `onSaved` receives the text of a new one, which is shown once. */
export function FurtherForm({ seen, onClose, onSaved }: {
  seen?: SeenKey;
  onClose: () => void;
  onSaved: (text?: string) => void;
}) {
  // As it was when the form was opened: the page may read the key anew meanwhile.
  const [before] = useState(seen);
  const [draft, setDraft] = useState(draftOf(before?.key ?? NEW));
  const [name, setName] = useState(before?.key.name ?? "");
  const [senders, setSenders] = useState(before?.key.sender_ids ?? null);
  const [end, setEnd] = useState(before?.key.expires_at ? localTime(before.key.expires_at) : "");
  const names = keyWords();

  async function save(): Promise<void> {
    const path = { company_id: companyId() };
    const fields = { ...requestOf(draft), name, sender_ids: senders };
    if (before === undefined) {
      const body = { ...fields, expires_at: momentOf(end) };
      const { key } = await ask(createFurtherKey({ client: api(), path, body }));
      return onSaved(key);
    }
    const { key: { key_id, expires_at }, etag } = before;
    // An end that stays may lie in the past.
    const isKept = end === (expires_at ? localTime(expires_at) : "");
    const body = isKept ? fields : { ...fields, expires_at: momentOf(end) };
    await ask(changeFurtherKey({ client: api(), path: { ...path, key_id }, body, headers: ifMatch(etag) }));
    toast(words().common.saved);
    onSaved();
  }

  return (
    <FormDialog
      title={before ? names.changeFurther(before.key.name) : names.addTitle}
      action={before ? words().common.save : names.add}
      onSave={save}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <Field label={names.name} value={name} error={errorOf("name")} onChange={setName} />
          <KeyFields draft={draft} errors={keyErrors(errorOf)} onChange={setDraft} />
          <SenderFields
            chosen={senders}
            isWrong={errorOf("sender_ids") !== undefined}
            onChange={setSenders}
          />
          <Field
            label={names.endsLabel}
            type="datetime-local"
            value={end}
            help={names.endsHelp}
            error={errorOf("expires_at")}
            onChange={setEnd}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Returns a moment that was typed as the API takes it; null for none. */
function momentOf(typed: string): string | null {
  const at = new Date(typed);
  return typed === "" || Number.isNaN(at.getTime()) ? null : at.toISOString();
}

function SenderFields({ chosen, isWrong, onChange }: {
  chosen: string[] | null;
  isWrong: boolean;
  onChange: (chosen: string[] | null) => void;
}) {
  const { rows = [] } = useSenders({});
  const names = keyWords();
  return (
    <fieldset class="choices">
      <legend>{names.senders}</legend>
      <Checkbox
        label={names.allSenders}
        help={names.allSendersHelp}
        value={chosen === null}
        onChange={(is) => onChange(is ? null : [])}
      />
      {chosen && rows.map(({ sender_id, number }) => (
        <Checkbox
          key={sender_id}
          label={phone(number)}
          value={chosen.includes(sender_id)}
          onChange={(is) =>
            onChange(is ? [...chosen, sender_id] : chosen.filter((each) => each !== sender_id))}
        />
      ))}
      {isWrong && <p class="error">{names.chooseSender}</p>}
    </fieldset>
  );
}
