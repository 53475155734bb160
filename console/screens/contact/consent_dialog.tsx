import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { addConsents } from "../../data/sdk.ts";
import { Select } from "../../components/form/fields.tsx";
import { type Evidence, EvidenceFields, newEvidence, readEvidence } from "./evidence_fields.tsx";
import { type LedgerEntry, RecordDialog } from "./record_dialog.tsx";
import { words } from "../../i18n/words.ts";

/** Records that a person agreed, or took it back. */
export function ConsentDialog({ address, onClose }: { address?: string; onClose: () => void }) {
  const [status, setStatus] = useState<"granted" | "withdrawn">("granted");
  const [evidence, setEvidence] = useState<Evidence>(newEvidence);
  const { record: titles, status: what, agreedTo, agreements } = words().contacts;
  const { granted, withdrawn } = words().common.statuses;

  async function record(entry: LedgerEntry) {
    const consents = [{ ...entry, status, ...readEvidence(evidence) }];
    const path = { company_id: companyId() };
    return await ask(addConsents({ client: api(), path, body: { consents } }));
  }

  return (
    <RecordDialog
      address={address}
      title={titles.consents}
      categories={{ label: agreedTo, names: agreements }}
      record={record}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <Select
            label={what}
            value={status}
            options={[["granted", granted!], ["withdrawn", withdrawn!]]}
            onChange={setStatus}
          />
          <EvidenceFields evidence={evidence} errorOf={errorOf} onChange={setEvidence} />
        </>
      )}
    </RecordDialog>
  );
}
