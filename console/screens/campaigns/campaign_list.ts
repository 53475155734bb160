import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { given } from "../../data/given.ts";
import { type List, useList } from "../../data/list.ts";
import { useLive } from "../../data/live/live.ts";
import { type Campaign, listCampaigns, type ListCampaignsData } from "../../data/sdk.ts";
import { useThrottle } from "../../data/live/throttle.ts";

const PAGE = 100;

/** A new campaign is read with the first page; that is seldom, and never more often. */
const NEW_ROWS_MS = 2000;

/** How the API's list of campaigns is narrowed. */
export interface CampaignFilters {
  channel?: string | undefined;
  open?: string | undefined;
}

/** Reads campaigns, newest first. Events change the counters of those in the list without a reading. */
export function useCampaigns({ channel, open }: CampaignFilters, limit = PAGE): List<Campaign> {
  const company_id = companyId();
  const list = useList<Campaign>({
    key: `campaigns ${company_id} ${channel} ${open} ${limit}`,
    idOf: (campaign) => campaign.campaign_id,
    async read(after, signal) {
      const query = given<ListCampaignsData["query"]>({ channel, open, after, limit });
      const page = await ask(listCampaigns({ client: api(), path: { company_id }, query, signal }));
      return { rows: page.campaigns, next: page.next };
    },
  });
  const readNew = useThrottle(list.reload, NEW_ROWS_MS);
  useLive("campaign", (event) => {
    const change = event as Partial<Campaign> & { campaign_id: string };
    // Why it waits is not in the event: it goes on while something is on its way, and may wait while nothing is.
    const mayWait = change.processing === 0 && change.pending !== 0;
    const known = list.patch(change.campaign_id, mayWait ? change : { ...change, wait: null });
    if (!known || mayWait) readNew();
  });
  return list;
}
