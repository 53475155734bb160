import { link, may, maySend } from "../../data/company.ts";
import { route } from "../../data/route.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/form/filter_bar.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { DataTable } from "../../components/table/data_table.tsx";
import { useSelection } from "../../components/table/selection.ts";
import { SavedViews } from "../../components/views/saved_views.tsx";
import { useCampaigns } from "./campaign_list.ts";
import { campaignColumns } from "./columns.tsx";
import { Selected } from "./selected.tsx";
import { words } from "../../i18n/words.ts";

/** All campaigns of the company, newest first. */
export default function Campaigns() {
  const { name, channel, open, from, to } = route.value.query;
  const list = useCampaigns({ name, channel, open, from, to });
  const selection = useSelection(`${name} ${channel} ${open} ${from} ${to}`);
  const names = words().campaigns;
  const start = maySend() && <ButtonLink kind="main" href={link(["compose"])}>{names.create}</ButtonLink>;
  const isFiltered = Boolean(name || channel || open || from || to);
  return (
    <>
      <PageHead title={names.title} actions={list.rows?.length !== 0 && start} />
      <FilterBar
        filters={[
          { kind: "text", name: "name", label: names.name },
          {
            kind: "choice",
            name: "open",
            label: names.state,
            options: [["true", names.open], ["false", names.over]],
          },
          {
            kind: "choice",
            name: "channel",
            label: names.channel,
            options: Object.entries(words().common.channels),
          },
          { kind: "date", name: "from", label: names.from },
          { kind: "date", name: "to", label: names.to },
        ]}
      >
        <SavedViews
          screen="campaigns"
          path={["campaigns"]}
          filters={["name", "channel", "open", "from", "to"]}
        />
      </FilterBar>
      <Selected selection={selection} rows={list.rows ?? []} onDone={list.reload} />
      <DataTable
        label={names.title}
        list={list}
        columns={campaignColumns(list.rows)}
        selection={may("operator") ? selection : undefined}
        hrefOf={({ campaign_id }) => link(["campaigns", campaign_id])}
        empty={isFiltered
          ? <Empty title={names.noneLike} />
          : <Empty title={names.none} action={start}>{names.noneHelp}</Empty>}
      />
    </>
  );
}
