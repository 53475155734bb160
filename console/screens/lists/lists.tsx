import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link, may } from "../../data/company.ts";
import { useAttributes, useLists } from "../../data/people.ts";
import { useQuery } from "../../data/query.ts";
import { useRows } from "../../data/rows.ts";
import { type ContactList, getContactList, listContactLists } from "../../data/sdk.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { describeCondition } from "../../components/condition/describe.ts";
import { testFields } from "../../components/condition/fields.ts";
import { Empty } from "../../components/empty.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { DataTable } from "../../components/table/data_table.tsx";
import { timeColumn } from "../../components/table/time_column.tsx";
import { count } from "../../i18n/format.ts";
import { NameDialog } from "./name_dialog.tsx";
import { words } from "../../i18n/words.ts";

/** The saved lists of people, and the conditions. */
export default function Lists() {
  const [isAdding, setAdding] = useState(false);
  const list = useRows(listContactLists, "lists", ({ list_id }) => list_id);
  const lists = useLists().data ?? [];
  const fields = testFields(useAttributes().data ?? [], lists);
  const names = words().lists;
  return (
    <>
      <PageHead
        title={names.title}
        actions={may("operator") && (
          <>
            <Button icon="plus" onPress={() => setAdding(true)}>{names.newList}</Button>
            <ButtonLink kind="main" icon="plus" href={link(["lists", "new"])}>
              {names.newCondition}
            </ButtonLink>
          </>
        )}
      />
      <DataTable
        label={names.title}
        list={list}
        hrefOf={({ list_id }) => link(["lists", list_id])}
        columns={[
          { name: "name", title: words().contacts.name, cell: ({ name }) => name },
          {
            name: "what",
            title: names.who,
            from: "medium",
            cell: ({ condition }) =>
              condition === null ? names.chosenPeople : describeCondition(condition, fields, lists),
          },
          {
            name: "count",
            title: words().condition.people,
            width: "104px",
            align: "end",
            cell: ({ list_id }) => <Count listId={list_id} />,
          },
          timeColumn("changed", names.changed, ({ updated_at }: ContactList) => updated_at, { from: "wide" }),
        ]}
        empty={<Empty title={names.none}>{names.noneHelp}</Empty>}
      />
      {isAdding && <NameDialog onClose={() => setAdding(false)} />}
    </>
  );
}

/** A page of lists has no counts: each row that is seen reads its own. */
function Count({ listId }: { listId: string }) {
  const path = { company_id: companyId(), list_id: listId };
  const { data } = useQuery(
    `list ${listId}`,
    (signal) => ask(getContactList({ client: api(), path, signal })),
  );
  return <>{data === undefined ? "…" : data.count === null ? "–" : count(data.count)}</>;
}
