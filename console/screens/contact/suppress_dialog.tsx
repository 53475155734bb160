import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { addSuppressions } from "../../data/sdk.ts";
import { Field } from "../../components/form/fields.tsx";
import { type LedgerEntry, RecordDialog } from "./record_dialog.tsx";
import { words } from "../../i18n/words.ts";

/** Records that a person does not want to be written to. */
export function SuppressDialog({ address, onClose }: { address?: string; onClose: () => void }) {
  const [detail, setDetail] = useState("");
  const { record: titles, category, categories } = words().contacts;
  const { evidence, evidenceHelp } = words().contact;

  function record(entry: LedgerEntry) {
    const suppressions = [{ ...entry, ...(detail && { detail }) }];
    return ask(addSuppressions({ client: api(), path: { company_id: companyId() }, body: { suppressions } }));
  }

  return (
    <RecordDialog
      address={address}
      title={titles.suppressions}
      categories={{ label: category, names: categories }}
      record={record}
      onClose={onClose}
    >
      {(errorOf) => (
        <Field
          label={evidence}
          help={evidenceHelp}
          rows={2}
          value={detail}
          error={errorOf("detail")}
          onChange={setDetail}
        />
      )}
    </RecordDialog>
  );
}
