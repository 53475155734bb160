import { link, may } from "../../data/company.ts";
import { route } from "../../data/route.ts";
import type { TemplateSummary } from "../../data/sdk.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/form/filter_bar.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { Time } from "../../components/time.tsx";
import { count } from "../../i18n/format.ts";
import { sync, useTemplates } from "./template_list.ts";
import { words } from "../../i18n/words.ts";

const STATUSES = ["approved", "pending", "rejected", "disabled"] as const;

/** The texts that start a conversation, with the state of their review. */
export default function Templates() {
  const { status, name } = route.value.query;
  const list = useTemplates({ ...(status && { status }), ...(name && { name }) });
  const names = words().templates;
  const isFiltered = Boolean(status || name);
  const actions = may("operator") && (
    <>
      <Button icon="again" onPress={() => sync(list.reload)}>{names.sync}</Button>
      <ButtonLink kind="main" icon="plus" href={link(["templates", "new"])}>{names.create}</ButtonLink>
    </>
  );
  return (
    <>
      <PageHead title={names.title} actions={list.rows?.length !== 0 && actions} />
      <FilterBar
        filters={[
          { kind: "text", name: "name", label: names.name, placeholder: "order_update" },
          {
            kind: "choice",
            name: "status",
            label: names.status,
            options: STATUSES.map((each) => [each, words().common.statuses[each]!] as const),
          },
        ]}
      />
      <DataTable
        label={names.title}
        list={list}
        columns={columns()}
        hrefOf={({ template_id }) => link(["templates", template_id])}
        empty={isFiltered
          ? <Empty title={names.noneLike} />
          : (
            <Empty title={names.none} action={actions && <div class="actions">{actions}</div>}>
              {names.noneHelp}
            </Empty>
          )}
      />
    </>
  );
}

function columns(): Column<TemplateSummary>[] {
  const names = words().templates;
  return [
    { name: "name", title: names.name, cell: ({ name }) => name, sortBy: ({ name }) => name },
    {
      name: "language",
      title: names.language,
      width: "96px",
      from: "medium",
      cell: ({ language }) => language,
      sortBy: ({ language }) => language,
    },
    {
      name: "category",
      title: names.category,
      width: "128px",
      from: "wide",
      cell: ({ category }) => names.categories[category] ?? category,
      sortBy: ({ category }) => category,
    },
    {
      name: "status",
      title: names.status,
      width: "128px",
      cell: ({ status }) => <StatusBadge status={status} />,
      sortBy: ({ status }) => status,
    },
    {
      name: "reason",
      title: names.reason,
      width: "200px",
      from: "wide",
      cell: ({ rejected_reason }) =>
        rejected_reason && <code title={rejected_reason}>{rejected_reason}</code>,
    },
    {
      name: "quality",
      title: names.quality,
      width: "104px",
      from: "full",
      cell: ({ quality }) => quality ? names.qualities[quality] ?? quality : "–",
    },
    {
      name: "held",
      title: names.held,
      width: "104px",
      align: "end",
      from: "wide",
      cell: ({ held_campaigns }) => count(held_campaigns),
      sortBy: ({ held_campaigns }) => held_campaigns,
    },
    {
      name: "updated",
      title: names.updated,
      width: "136px",
      align: "end",
      from: "medium",
      cell: ({ updated_at }) => <Time at={updated_at} />,
      sortBy: ({ updated_at }) => updated_at,
    },
  ];
}
