import { link, may } from "../../data/company.ts";
import { route } from "../../data/route.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/form/filter_bar.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { DataTable } from "../../components/table/data_table.tsx";
import { useCampaigns } from "./campaign_list.ts";
import { campaignColumns } from "./columns.tsx";
import { words } from "../../i18n/words.ts";

/** All campaigns of the company, newest first. */
export default function Campaigns() {
  const { channel, open } = route.value.query;
  const list = useCampaigns({ channel, open });
  const { title, none, noneHelp, noneLike, open: isOpen, over, state, create } = words().campaigns;
  const start = may("operator") && <ButtonLink kind="main" href={link(["compose"])}>{create}</ButtonLink>;
  const isFiltered = Boolean(channel || open);
  return (
    <>
      <PageHead title={title} actions={list.rows?.length !== 0 && start} />
      <FilterBar
        filters={[
          { kind: "choice", name: "open", label: state, options: [["true", isOpen], ["false", over]] },
          {
            kind: "choice",
            name: "channel",
            label: words().campaigns.channel,
            options: Object.entries(words().common.channels),
          },
        ]}
      />
      <DataTable
        label={title}
        list={list}
        columns={campaignColumns()}
        hrefOf={({ campaign_id }) => link(["campaigns", campaign_id])}
        empty={isFiltered
          ? <Empty title={noneLike} />
          : <Empty title={none} action={start}>{noneHelp}</Empty>}
      />
    </>
  );
}
