import type { List } from "../../data/list.ts";
import { useLive } from "../../data/live/live.ts";
import { useRows } from "../../data/rows.ts";
import { type Campaign, listCampaigns } from "../../data/sdk.ts";
import { useThrottle } from "../../data/live/throttle.ts";

/** A new campaign is read with the first page; that is seldom, and never more often. */
const NEW_ROWS_MS = 2000;

/** The filters of campaigns, as they are in the address; from and to are days of the viewer. */
export type CampaignFilters = Partial<
  Record<"name" | "channel" | "open" | "from" | "to", string | undefined>
>;

/** Reads campaigns, newest first. Events change the counters of those in the list without a reading. */
export function useCampaigns(filters: CampaignFilters, limit?: number): List<Campaign> {
  const { name, channel, open } = filters;
  const list = useRows(listCampaigns, "campaigns", ({ campaign_id }) => campaign_id, {
    query: { name, channel, open, from: startOf(filters.from), to: startOf(filters.to, 1) },
    ...(limit && { limit }),
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

/** Returns when a day begins where the viewer is, or the day so many days later. */
function startOf(day: string | undefined, later = 0): string | undefined {
  const [year, month, date] = (day ?? "").split("-").map(Number);
  if (!year || !month || !date) return undefined;
  return new Date(year, month - 1, date + later).toISOString();
}
