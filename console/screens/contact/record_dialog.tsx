import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { PersonQuery } from "../../data/addresses.ts";
import { Select } from "../../components/form/fields.tsx";
import { type ErrorOf, FormDialog } from "../../components/form/form.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { enteredPerson, PersonField } from "./person_field.tsx";
import { requireRecorded } from "./require_recorded.ts";
import { words } from "../../i18n/words.ts";

const CHANNELS = ["any", "whatsapp", "voice"] as const;

/** An entry for a person: about which messages, and on which channel. */
export type LedgerEntry = PersonQuery & { channel: typeof CHANNELS[number]; category: "marketing" | "all" };

interface RecordDialogProps {
  /** Whom it is about; asked for if left out. */
  address: string | undefined;
  title: string;
  /** The choices of messages, with the name of the question. */
  categories: { label: string; names: Record<string, string> };
  record: (entry: LedgerEntry) => Promise<Parameters<typeof requireRecorded>[0]>;
  /** The fields of its own. */
  children: (errorOf: ErrorOf) => ComponentChildren;
  onClose: () => void;
}

/** Records what a person said about messages: an opt-out, or a consent. */
export function RecordDialog(
  { address, title, categories: { label, names }, record, children, onClose }: RecordDialogProps,
) {
  const [person, setPerson] = useState(address ?? "");
  const [channel, setChannel] = useState<LedgerEntry["channel"]>("any");
  const [category, setCategory] = useState<LedgerEntry["category"]>("marketing");
  const { channel: channelName, channels } = words().contacts;

  async function save(): Promise<void> {
    requireRecorded(await record({ ...await enteredPerson(person), channel, category }));
    toast(words().contact.recorded);
    onClose();
  }

  return (
    <FormDialog title={title} action={title} onSave={save} onClose={onClose}>
      {(errorOf) => (
        <>
          {address === undefined && (
            <PersonField value={person} error={errorOf("number")} onChange={setPerson} />
          )}
          <div class="field-row">
            <Select
              label={label}
              value={category}
              options={[["marketing", names.marketing!], ["all", names.all!]]}
              onChange={setCategory}
            />
            <Select
              label={channelName}
              value={channel}
              options={CHANNELS.map((each) => [each, channels[each]!] as const)}
              onChange={setChannel}
            />
          </div>
          {children(errorOf)}
        </>
      )}
    </FormDialog>
  );
}
