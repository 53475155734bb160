import { useState } from "preact/hooks";
import { link, may } from "../../data/company.ts";
import { route } from "../../data/route.ts";
import type { Widget } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/form/filter_bar.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { timeColumn } from "../../components/table/time_column.tsx";
import { count } from "../../i18n/format.ts";
import { NewWidgetForm } from "./new_widget.tsx";
import { useWidgets } from "./widget_list.ts";
import { words } from "../../i18n/words.ts";

/** The chats and voice assistants that the company has on web pages. */
export default function Widgets() {
  const { kind } = route.value.query;
  const list = useWidgets(kind);
  const [isAdding, setAdding] = useState(false);
  const names = words().widgets;
  const add = may("operator") && (
    <Button kind="main" icon="plus" onPress={() => setAdding(true)}>{names.create}</Button>
  );
  return (
    <>
      <PageHead title={names.title} actions={list.rows?.length !== 0 && add} />
      <FilterBar
        filters={[{ kind: "choice", name: "kind", label: names.kind, options: Object.entries(names.kinds) }]}
      />
      <DataTable
        label={names.title}
        list={list}
        columns={columns()}
        hrefOf={({ widget_id }) => link(["widgets", widget_id])}
        empty={kind
          ? <Empty title={names.noneLike} />
          : <Empty title={names.none} action={add}>{names.noneHelp}</Empty>}
      />
      {isAdding && <NewWidgetForm onClose={() => setAdding(false)} />}
    </>
  );
}

function columns(): Column<Widget>[] {
  const names = words().widgets;
  return [
    { name: "name", title: names.name, cell: ({ name }) => name, sortBy: ({ name }) => name },
    { name: "kind", title: names.kind, width: "96px", cell: ({ kind }) => names.kinds[kind] },
    {
      name: "state",
      title: names.state,
      width: "104px",
      cell: ({ is_active }) => <StatusBadge status={is_active ? "active" : "off"} />,
    },
    {
      name: "pages",
      title: names.pages,
      from: "medium",
      cell: ({ allowed_origins: [first, ...others] }) =>
        first === undefined ? names.anyPage : (
          <span title={[first, ...others].join("\n")}>
            {first}
            {others.length > 0 && ` +${count(others.length)}`}
          </span>
        ),
    },
    timeColumn("created", names.created, ({ created_at }) => created_at, { sorts: true }),
  ];
}
