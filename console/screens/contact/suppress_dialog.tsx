import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { suppressPeople } from "../../data/sdk.ts";
import { Field, Select } from "../../parts/fields.tsx";
import { FormDialog } from "../../parts/form.tsx";
import { toast } from "../../parts/toast.tsx";
import { words as listWords } from "../contacts/words.ts";
import { enteredPerson, PersonField } from "./person_field.tsx";
import { requireRecorded } from "./require_recorded.ts";
import { words } from "./words.ts";

const CHANNELS = ["any", "whatsapp", "voice"] as const;

/** Records that a person does not want to be written to. */
export function SuppressDialog({ address, onClose }: { address?: string; onClose: () => void }) {
  const [person, setPerson] = useState(address ?? "");
  const [channel, setChannel] = useState<typeof CHANNELS[number]>("any");
  const [category, setCategory] = useState<"marketing" | "all">("marketing");
  const [detail, setDetail] = useState("");
  const { suppress, channel: channelName, channels, category: noMore, categories } = listWords();
  const { evidence, evidenceHelp, recorded } = words();

  async function save(): Promise<void> {
    const entry = { ...enteredPerson(person), channel, category, ...(detail && { detail }) };
    const path = { company_id: companyId() };
    requireRecorded(await ask(suppressPeople({ client: api(), path, body: { suppressions: [entry] } })));
    toast(recorded);
    onClose();
  }

  return (
    <FormDialog title={suppress} action={suppress} onSave={save} onClose={onClose}>
      {(errorOf) => (
        <>
          {address === undefined && (
            <PersonField value={person} error={errorOf("number")} onChange={setPerson} />
          )}
          <Select
            label={noMore}
            value={category}
            options={[["marketing", categories.marketing!], ["all", categories.all!]]}
            onChange={setCategory}
          />
          <Select
            label={channelName}
            value={channel}
            options={CHANNELS.map((each) => [each, channels[each]!] as const)}
            onChange={setChannel}
          />
          <Field
            label={evidence}
            help={evidenceHelp}
            rows={2}
            value={detail}
            error={errorOf("detail")}
            onChange={setDetail}
          />
        </>
      )}
    </FormDialog>
  );
}
