import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link, may } from "../../data/company.ts";
import { readAllAnew } from "../../data/entries.ts";
import { route } from "../../data/route.ts";
import { useAttributes, useLists } from "../../data/people.ts";
import { useQuery } from "../../data/query.ts";
import { type ContactList, getContactList } from "../../data/sdk.ts";
import { describeCondition } from "../../components/condition/describe.ts";
import { testFields } from "../../components/condition/fields.ts";
import { LiveCount } from "../../components/condition/live_count.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { FilterBar } from "../../components/form/filter_bar.tsx";
import { PageHead, Section } from "../../components/page_head.tsx";
import { PeopleTable } from "../contacts/people_table.tsx";
import { ListActions } from "./list_actions.tsx";
import { ListEditor } from "./list_editor.tsx";
import { words } from "../../i18n/words.ts";

/** One list: who is on it, and how many of them can be reached. */
export default function ListScreen({ params }: { params: Record<string, string> }) {
  const path = { company_id: companyId(), list_id: params.list_id! };
  const { data: list, problem, reload } = useQuery(
    `list ${path.list_id}`,
    (signal) => ask(getContactList({ client: api(), path, signal })),
  );
  const [isEditing, setEditing] = useState(false);
  if (list === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  const changed = () => {
    setEditing(false);
    readAllAnew();
  };
  return (
    <>
      <PageHead
        title={list.name}
        above={{ title: words().lists.title, href: link(["lists"]) }}
        actions={may("operator") && (
          <ListActions
            list={list}
            onEdit={() => setEditing(true)}
            onChange={changed}
          />
        )}
      />
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      {isEditing ? <ListEditor list={list} onSaved={changed} onClose={() => setEditing(false)} /> : (
        <>
          {list.condition && <Condition list={list} />}
          {list.condition && list.count === null
            ? <p class="error" role="alert">{words().lists.broken}</p>
            : <LiveCount listId={list.list_id} />}
        </>
      )}
      <People list={list} />
    </>
  );
}

function Condition({ list: { condition } }: { list: ContactList }) {
  const lists = useLists().data ?? [];
  const fields = testFields(useAttributes().data ?? [], lists);
  return (
    <Section title={words().lists.condition}>
      <p>{describeCondition(condition!, fields, lists)}</p>
    </Section>
  );
}

function People({ list }: { list: ContactList }) {
  const { search, state } = route.value.query;
  const names = words().contacts;
  return (
    <Section title={names.people}>
      <PeopleTable
        list={list}
        filters={{ list_id: list.list_id, search, state }}
        bar={(actions) => (
          <FilterBar
            filters={[
              { kind: "text", name: "search", label: names.search, placeholder: names.searchHint },
              { kind: "choice", name: "state", label: names.state, options: Object.entries(names.states) },
            ]}
          >
            {actions}
          </FilterBar>
        )}
        empty={search || state ? <Empty title={names.noneLike} /> : (
          <Empty title={words().lists.empty}>
            {list.condition === null ? words().lists.emptyHelp : words().lists.emptyCondition}
          </Empty>
        )}
      />
    </Section>
  );
}
