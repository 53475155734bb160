import { link, maySend } from "../../data/company.ts";
import { route } from "../../data/route.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/form/filter_bar.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { DataTable } from "../../components/table/data_table.tsx";
import { templateColumns } from "./columns.tsx";
import { grouped } from "./grouped.ts";
import { sync, useTemplates, useTemplateUse } from "./template_list.ts";
import { words } from "../../i18n/words.ts";

const STATUSES = ["approved", "pending", "rejected", "disabled"] as const;

/** The texts that start a conversation, with the state of their review. */
export default function Templates() {
  const { status, name } = route.value.query;
  const list = useTemplates({ ...(status && { status }), ...(name && { name }) });
  const uses = useTemplateUse();
  const names = words().templates;
  const isFiltered = Boolean(status || name);
  const actions = maySend() && (
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
        list={grouped(list)}
        columns={templateColumns(uses)}
        hrefOf={({ languages: [first] }) => link(["templates", first!.template_id])}
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
