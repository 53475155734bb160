import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { readAllAnew } from "../../data/entries.ts";
import { useAttributes, useLists } from "../../data/people.ts";
import { changeContactList, type ContactList, createContactList } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { ConditionBuilder } from "../../components/condition/condition_builder.tsx";
import { conditionOf, draftOf, newGroup, newTest } from "../../components/condition/draft.ts";
import { testFields } from "../../components/condition/fields.ts";
import { LiveCount } from "../../components/condition/live_count.tsx";
import { Field } from "../../components/form/fields.tsx";
import { Form } from "../../components/form/form.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { words } from "../../i18n/words.ts";

/** A list of those who meet a condition: a new one, or one that there is. */
export function ListEditor({ list, onSaved, onClose }: {
  list?: ContactList;
  onSaved: (list: ContactList) => void;
  onClose: () => void;
}) {
  const attributes = useAttributes().data ?? [];
  const lists = (useLists().data ?? []).filter(({ list_id }) => list_id !== list?.list_id);
  const fields = testFields(attributes, lists);
  const [name, setName] = useState(list?.name ?? "");
  const [draft, setDraft] = useState(() =>
    list?.condition ? draftOf(list.condition) : newGroup([newTest(fields[0]!)])
  );
  const condition = conditionOf(draft, (field) => fields.find((each) => each.name === field)?.type);
  const names = words().lists;

  async function save(): Promise<void> {
    const path = { company_id: companyId() };
    const body = { name, condition: condition! };
    const saved = list
      ? await ask(changeContactList({ client: api(), path: { ...path, list_id: list.list_id }, body }))
      : await ask(createContactList({ client: api(), path, body }));
    toast(words().common.saved);
    readAllAnew();
    onSaved(saved);
  }

  return (
    <div class="panel condition-panel">
      <Form
        action={words().common.save}
        onSave={save}
        disabled={name.trim() === "" || condition === undefined}
        others={<Button onPress={onClose}>{words().common.cancel}</Button>}
      >
        {(errorOf) => (
          <>
            <Field
              label={words().contacts.name}
              value={name}
              error={errorOf("name") && names.nameTaken}
              onChange={setName}
            />
            <ConditionBuilder {...{ draft, attributes, lists }} onChange={setDraft} />
            <LiveCount condition={condition} />
          </>
        )}
      </Form>
    </div>
  );
}
