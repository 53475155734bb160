import { useState } from "preact/hooks";
import { api, ask, ifMatch } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { changeCompanyKey, type CompanyKey } from "../../data/sdk.ts";
import { FormDialog } from "../../components/form/form.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { draftOf, keyErrors, KeyFields, requestOf } from "./key_fields.tsx";
import { keyWords } from "../../i18n/key_words.ts";
import { words } from "../../i18n/words.ts";

/** Changes what the access key may do, and how much. */
export function KeyForm({ apiKey, etag, onClose, onSaved }: {
  apiKey: CompanyKey;
  etag: string;
  onClose: () => void;
  onSaved: () => void;
}) {
  // As it was when the form was opened: the page may read the key anew meanwhile.
  const [seen] = useState(etag);
  const [draft, setDraft] = useState(draftOf(apiKey));

  async function save(): Promise<void> {
    const [path, headers] = [{ company_id: companyId() }, ifMatch(seen)];
    await ask(changeCompanyKey({ client: api(), path, body: requestOf(draft), headers }));
    toast(words().common.saved);
    onClose();
    onSaved();
  }

  return (
    <FormDialog title={keyWords().changeTitle} action={words().common.save} onSave={save} onClose={onClose}>
      {(errorOf) => <KeyFields draft={draft} errors={keyErrors(errorOf)} onChange={setDraft} />}
    </FormDialog>
  );
}
