import { link } from "../../data/company.ts";
import { changeQuery, route } from "../../data/route.ts";
import type { AuditEntry } from "../../data/sdk.ts";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/form/filter_bar.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { type Column, TIME_WIDTH } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { Time } from "../../components/time.tsx";
import { actionLabel, actionOptions } from "./actions.ts";
import { useAudit } from "./audit_data.ts";
import { describeChanges } from "./changes.ts";
import { EntryDrawer } from "./entry_drawer.tsx";
import { type ActorName, useActorNames } from "./actor_names.ts";
import { words } from "../../i18n/words.ts";

/** All changes, with who made them, newest first. */
export default function Audit() {
  const { action, actor, subject, entry } = route.value.query;
  const list = useAudit({ action, actor, subject });
  const nameOf = useActorNames();
  const names = words().audit;
  const shown = entry && list.rows?.find(({ id }) => id === entry);
  return (
    <>
      <PageHead title={names.title} facts={<span>{names.about}</span>} />
      <FilterBar
        filters={[
          {
            kind: "choice",
            name: "action",
            label: names.action,
            options: actionOptions(),
          },
          { kind: "text", name: "actor", label: names.actor, placeholder: "cli" },
          { kind: "text", name: "subject", label: names.subject, placeholder: names.anId },
        ]}
      />
      <DataTable
        label={names.title}
        list={list}
        columns={auditColumns(nameOf)}
        hrefOf={({ id }) => link(["audit"], { ...route.value.query, entry: id })}
        empty={action || actor || subject
          ? <Empty title={names.noneLike} />
          : <Empty title={names.none}>{names.noneHelp}</Empty>}
      />
      {shown && (
        <EntryDrawer
          entry={shown}
          nameOf={nameOf}
          onClose={() => changeQuery({ entry: undefined })}
        />
      )}
    </>
  );
}

function auditColumns(nameOf: ActorName): Column<AuditEntry>[] {
  const names = words().audit;
  return [
    { name: "action", title: names.action, cell: ({ action }) => actionLabel(action) },
    {
      name: "actor",
      title: names.actor,
      width: "200px",
      from: "medium",
      cell: ({ actor }) => <span title={actor}>{nameOf(actor)}</span>,
    },
    {
      name: "change",
      title: names.change,
      from: "wide",
      cell: (entry) => {
        const text = describeChanges(entry);
        return <span title={text} data-technical>{text}</span>;
      },
    },
    {
      name: "at",
      title: names.at,
      width: TIME_WIDTH,
      align: "end",
      cell: ({ at }) => <Time at={at} />,
    },
  ];
}
