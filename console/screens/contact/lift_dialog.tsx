import { useState } from "preact/hooks";
import { personOf } from "../../data/addresses.ts";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { Problem } from "../../data/problem.ts";
import { liftSuppressions } from "../../data/sdk.ts";
import { Field } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { EvidenceFields, newEvidence, readEvidence } from "./evidence_fields.tsx";
import type { PersonSuppression } from "./consent_state.ts";
import { words } from "../../i18n/words.ts";

/** Lifts an opt-out, with the reason. A person's own needs evidence that they agreed later. */
export function LiftDialog(
  { suppression, onClose }: { suppression: PersonSuppression; onClose: () => void },
) {
  const { address, channel, category, source } = suppression;
  const isOwn = source === "keyword" || source === "button";
  const [evidence, setEvidence] = useState(newEvidence);
  const names = words().contact;

  async function save(): Promise<void> {
    const reason = isOwn ? readEvidence(evidence) : { detail: requireText(evidence.detail) };
    const body = { ...personOf(address), channel, category, ...reason };
    const path = { company_id: companyId() };
    const { still_suppressed_by: others } = await ask(
      liftSuppressions({ client: api(), path, body }),
    );
    const { sources } = words().contacts;
    toast(
      others.length === 0 ? names.lifted : names.liftedBut(others.map((each) => sources[each]!).join(", ")),
    );
    onClose();
  }

  return (
    <FormDialog title={names.liftTitle} action={names.lift} onSave={save} onClose={onClose}>
      {(errorOf) => (
        <>
          <p>{isOwn ? names.liftOwn : names.liftHelp}</p>
          {isOwn ? <EvidenceFields evidence={evidence} errorOf={errorOf} onChange={setEvidence} /> : (
            <Field
              label={names.liftReason}
              rows={2}
              value={evidence.detail}
              error={errorOf("detail")}
              onChange={(detail) => setEvidence({ ...evidence, detail })}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

function requireText(text: string): string {
  if (text.trim() !== "") return text;
  throw new Problem("validation_failed", words().common.required, { details: { field: "detail" } });
}
