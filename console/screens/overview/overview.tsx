import { api, ask } from "../../data/client.ts";
import { companyId, isTest, link, maySend } from "../../data/company.ts";
import { useLive } from "../../data/live/live.ts";
import { useQuery } from "../../data/query.ts";
import { getOverview } from "../../data/sdk.ts";
import { useThrottle } from "../../data/live/throttle.ts";
import { ButtonLink } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { PageHead, Section } from "../../components/page_head.tsx";
import { DataTable } from "../../components/table/data_table.tsx";
import { useCampaigns } from "../campaigns/campaign_list.ts";
import { campaignColumns } from "../campaigns/columns.tsx";
import { ExpiringKeys } from "../keys/expiring_keys.tsx";
import { Failures } from "./failures.tsx";
import { FirstSteps } from "./first_steps.tsx";
import { NextUp } from "./next_up.tsx";
import { NowFigures } from "./now_figures.tsx";
import { PeriodSection } from "./period.tsx";
import { SenderHealth } from "./sender_health.tsx";
import { Trouble } from "./trouble.tsx";
import { words } from "../../i18n/words.ts";

const LATEST = 10;

/** Events come every second while a campaign runs; the sums of a whole company need not. */
const READ_MS = 5000;

/** Shows what is going on, what is wrong, what happened, and what to do next. */
export default function Overview() {
  const company_id = companyId();
  const { data, problem, reload } = useQuery(
    `overview ${company_id}`,
    (signal) => ask(getOverview({ client: api(), path: { company_id }, signal })),
  );
  const readAgain = useThrottle(reload, READ_MS);
  for (const kind of ["campaign", "sender", "call", "delivery"] as const) useLive(kind, readAgain);
  const campaigns = useCampaigns({}, LATEST);
  const { title, running, allCampaigns, newCampaign } = words().overview;
  const hasSent = campaigns.rows !== undefined && campaigns.rows.length > 0;

  return (
    <>
      <PageHead
        title={title}
        actions={maySend() && <ButtonLink href={link(["compose"])} icon="send">{newCampaign}</ButtonLink>}
      />
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      <ExpiringKeys />
      {!isTest() && data && campaigns.rows && <FirstSteps overview={data} hasSent={hasSent} />}
      <NowFigures overview={data} />
      {data && <Trouble overview={data} />}
      <PeriodSection />
      <NextUp />
      {hasSent && (
        <Section title={running} actions={<a href={link(["campaigns"])}>{allCampaigns}</a>}>
          <DataTable
            label={running}
            list={{ ...campaigns, rows: campaigns.rows?.slice(0, LATEST), isComplete: true }}
            columns={campaignColumns(campaigns.rows?.slice(0, LATEST))}
            hrefOf={({ campaign_id }) => link(["campaigns", campaign_id])}
            empty={null}
          />
        </Section>
      )}
      <SenderHealth />
      {hasSent && <Failures campaigns={campaigns.rows ?? []} />}
    </>
  );
}
