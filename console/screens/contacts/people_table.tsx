import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { companyId, link, may } from "../../data/company.ts";
import { readAllAnew } from "../../data/entries.ts";
import { useAttributes } from "../../data/people.ts";
import { readPreference, writePreference } from "../../data/preferences.ts";
import type { ContactList } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog/dialog.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { Checkbox } from "../../components/form/fields.tsx";
import { DataTable } from "../../components/table/data_table.tsx";
import { useSelection } from "../../components/table/selection.ts";
import { BulkBar } from "./bulk_bar.tsx";
import { peopleColumns } from "./columns.tsx";
import { downloadPeople, keyOfPeople, type PeopleFilters, usePeople } from "./people_list.ts";
import { words } from "../../i18n/words.ts";

/** A list of people with the member's own columns, and what can be done with several of them. */
export function PeopleTable({ filters, list, bar, empty }: {
  filters: PeopleFilters;
  /** The list whose people are shown. */
  list?: ContactList;
  /** Shows the filters, with these actions. */
  bar: (actions: ComponentChildren) => ComponentChildren;
  empty: ComponentChildren;
}) {
  const people = usePeople(filters);
  const selection = useSelection(keyOfPeople(filters));
  const attributes = useAttributes().data ?? [];
  const [chosen, choose] = useChosen();
  const [isChoosing, setChoosing] = useState(false);
  const names = words().contacts;
  const rows = people.rows?.filter(({ contact_id }) => selection.has(contact_id)) ?? [];

  async function save(): Promise<void> {
    await attempt(async () => {
      await downloadPeople(filters);
      toast(words().contact.exported);
    });
  }

  return (
    <>
      {bar(
        <>
          {attributes.length > 0 && <Button onPress={() => setChoosing(true)}>{names.columns}</Button>}
          {may("operator") && <Button icon="download" onPress={save}>{names.saveCsv}</Button>}
        </>,
      )}
      {rows.length > 0 && (
        <BulkBar
          rows={rows}
          list={list}
          onClear={selection.clear}
          onDone={() => {
            selection.clear();
            readAllAnew();
          }}
          onUndone={readAllAnew}
        />
      )}
      <DataTable
        label={names.people}
        list={people}
        columns={peopleColumns(attributes.filter(({ name }) => chosen.includes(name)))}
        hrefOf={({ contact_id }) => link(["contacts", contact_id])}
        selection={may("operator") ? selection : undefined}
        empty={empty}
      />
      {isChoosing && (
        <Dialog
          title={names.columns}
          onClose={() => setChoosing(false)}
          actions={<Button kind="main" onPress={() => setChoosing(false)}>{words().common.close}</Button>}
        >
          <div class="form">
            {attributes.map(({ name }) => (
              <Checkbox
                key={name}
                label={name}
                value={chosen.includes(name)}
                onChange={(is) => choose(is ? [...chosen, name] : chosen.filter((each) => each !== name))}
              />
            ))}
          </div>
        </Dialog>
      )}
    </>
  );
}

/** The attributes that the member wants to see, kept in this browser. */
function useChosen(): [chosen: string[], choose: (names: string[]) => void] {
  const name = `people-columns.${companyId()}`;
  const [chosen, setChosen] = useState<string[]>(() =>
    readPreference(name)?.split(",").filter(Boolean) ?? []
  );
  return [chosen, (names) => {
    setChosen(names);
    writePreference(name, names.join(","));
  }];
}
