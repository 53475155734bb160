import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { recordPeopleConsents } from "../../data/sdk.ts";
import { Select } from "../../parts/fields.tsx";
import { FormDialog } from "../../parts/form.tsx";
import { toast } from "../../parts/toast.tsx";
import { words as shared } from "../../words/words.ts";
import { words as listWords } from "../contacts/words.ts";
import { type Evidence, EvidenceFields, newEvidence, readEvidence } from "./evidence_fields.tsx";
import { enteredPerson, PersonField } from "./person_field.tsx";
import { requireRecorded } from "./require_recorded.ts";
import { words } from "./words.ts";

const CHANNELS = ["any", "whatsapp", "voice"] as const;

/** Records that a person agreed, or took it back. */
export function ConsentDialog({ address, onClose }: { address?: string; onClose: () => void }) {
  const [person, setPerson] = useState(address ?? "");
  const [channel, setChannel] = useState<typeof CHANNELS[number]>("any");
  const [category, setCategory] = useState<"marketing" | "all">("marketing");
  const [status, setStatus] = useState<"granted" | "withdrawn">("granted");
  const [evidence, setEvidence] = useState<Evidence>(newEvidence);
  const { consent, status: what, channel: channelName, channels, agreedTo, agreements } = listWords();
  const { granted, withdrawn } = shared().statuses;

  async function save(): Promise<void> {
    const entry = { ...enteredPerson(person), channel, category, status, ...readEvidence(evidence) };
    const path = { company_id: companyId() };
    requireRecorded(await ask(recordPeopleConsents({ client: api(), path, body: { consents: [entry] } })));
    toast(words().recorded);
    onClose();
  }

  return (
    <FormDialog title={consent} action={consent} onSave={save} onClose={onClose}>
      {(errorOf) => (
        <>
          {address === undefined && (
            <PersonField value={person} error={errorOf("number")} onChange={setPerson} />
          )}
          <Select
            label={what}
            value={status}
            options={[["granted", granted!], ["withdrawn", withdrawn!]]}
            onChange={setStatus}
          />
          <Select
            label={agreedTo}
            value={category}
            options={[["marketing", agreements.marketing!], ["all", agreements.all!]]}
            onChange={setCategory}
          />
          <Select
            label={channelName}
            value={channel}
            options={CHANNELS.map((each) => [each, channels[each]!] as const)}
            onChange={setChannel}
          />
          <EvidenceFields evidence={evidence} errorOf={errorOf} onChange={setEvidence} />
        </>
      )}
    </FormDialog>
  );
}
