import { link } from "../../data/company.ts";
import { changeQuery, route } from "../../data/route.ts";
import type { CallOutcome } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/form/filter_bar.tsx";
import { numberFilter } from "../../components/form/number_filter.ts";
import { PageHead } from "../../components/page_head.tsx";
import { DataTable } from "../../components/table/data_table.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Agents } from "./agents.tsx";
import { useCalls } from "./call_list.ts";
import { callColumns } from "./columns.tsx";
import { words } from "../../i18n/words.ts";

const OUTCOMES = ["answered", "voicemail", "busy", "no_answer", "failed"] as const satisfies CallOutcome[];

/** The calls of the company's voice agents, and the agents. */
export default function Calls() {
  const { title, views, agents } = words().calls;
  return (
    <>
      <PageHead title={title} />
      <Tabs
        label={views}
        tabs={[
          { name: "calls", title, content: () => <CallTable /> },
          { name: "agents", title: agents, content: () => <Agents /> },
        ]}
      />
    </>
  );
}

function CallTable() {
  const { campaign_id, number, outcome, ongoing } = route.value.query;
  const list = useCalls({ campaign_id, number, outcome, ongoing });
  const names = words().calls;
  const isFiltered = Boolean(campaign_id || number || outcome || ongoing);
  return (
    <>
      <FilterBar
        filters={[
          numberFilter(),
          {
            kind: "choice",
            name: "outcome",
            label: names.outcome,
            options: OUTCOMES.map((each) => [each, words().common.statuses[each]!] as const),
          },
          { kind: "choice", name: "ongoing", label: names.state, options: [["true", names.goesOn]] },
        ]}
      >
        {campaign_id && (
          <Button icon="close" onPress={() => changeQuery({ campaign_id: undefined })}>
            {names.oneCampaign}
          </Button>
        )}
      </FilterBar>
      <DataTable
        label={names.title}
        list={list}
        columns={callColumns()}
        hrefOf={({ notification_id }) => link(["calls", notification_id])}
        empty={isFiltered
          ? <Empty title={names.noneLike} />
          : <Empty title={names.none}>{names.noneHelp}</Empty>}
      />
    </>
  );
}
