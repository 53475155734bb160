import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link } from "../../data/company.ts";
import { readAllAnew } from "../../data/entries.ts";
import { navigate } from "../../data/route.ts";
import { changeContactList, type ContactList, createContactList } from "../../data/sdk.ts";
import { Field } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { words } from "../../i18n/words.ts";

/** Names a list: a new one, which is then filled with people, or one that there is. */
export function NameDialog({ list, onClose }: { list?: ContactList; onClose: () => void }) {
  const [name, setName] = useState(list?.name ?? "");
  const names = words().lists;

  async function save(): Promise<void> {
    const path = { company_id: companyId() };
    if (list) {
      await ask(
        changeContactList({ client: api(), path: { ...path, list_id: list.list_id }, body: { name } }),
      );
      toast(words().common.saved);
    } else {
      const made = await ask(createContactList({ client: api(), path, body: { name } }));
      navigate(link(["lists", made.list_id]));
    }
    readAllAnew();
    onClose();
  }

  return (
    <FormDialog
      title={list ? names.rename : names.newList}
      action={words().common.save}
      disabled={name.trim() === ""}
      onSave={save}
      onClose={onClose}
    >
      {(errorOf) => (
        <Field
          label={words().contacts.name}
          value={name}
          error={errorOf("name") && names.nameTaken}
          onChange={setName}
        />
      )}
    </FormDialog>
  );
}
