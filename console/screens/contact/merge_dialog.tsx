import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { mergeContacts, type StoredContact } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog/dialog.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { PeoplePicker } from "../../components/people_picker.tsx";
import { PlainTable } from "../../components/table/plain_table.tsx";
import { nameOf } from "../contacts/contact_text.ts";
import { mergedRows } from "./merged_rows.ts";
import { words } from "../../i18n/words.ts";

/** Finds the other contact of the same person, shows what will be one, and merges them. */
export function MergeDialog({ contact, onMerged, onClose }: {
  contact: StoredContact;
  onMerged: () => void;
  onClose: () => void;
}) {
  const [other, setOther] = useState<StoredContact>();
  const names = words().contact;

  async function merge(from: StoredContact): Promise<void> {
    const path = { company_id: companyId(), contact_id: contact.contact_id };
    const body = { contact_id: from.contact_id };
    if (await attempt(() => ask(mergeContacts({ client: api(), path, body }))) === undefined) return;
    toast(names.merged(nameOf(from)));
    onMerged();
  }

  return (
    <Dialog
      title={names.mergeTitle(nameOf(contact))}
      onClose={onClose}
      staysOpen
      actions={
        <>
          <Button onPress={other ? () => setOther(undefined) : onClose}>
            {other ? names.mergeOther : words().common.cancel}
          </Button>
          <Button kind="danger" disabled={other === undefined} onPress={() => merge(other!)}>
            {names.merge}
          </Button>
        </>
      }
    >
      {other === undefined
        ? <PeoplePicker without={[contact.contact_id]} onPick={setOther} />
        : (
          <div class="form merge-preview">
            <p>{names.mergeText(nameOf(other))}</p>
            <PlainTable
              rows={mergedRows(contact, other)}
              keyOf={({ name }) => name}
              columns={[
                { title: words().audit.field, cell: ({ name }) => name },
                { title: nameOf(contact), cell: ({ own }) => own || "–" },
                { title: nameOf(other), cell: ({ others }) => others || "–" },
                { title: names.mergeResult, cell: ({ result }) => <strong>{result || "–"}</strong> },
              ]}
            />
          </div>
        )}
    </Dialog>
  );
}
