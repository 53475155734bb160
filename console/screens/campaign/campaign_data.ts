import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { given } from "../../data/given.ts";
import { type List, useList } from "../../data/list.ts";
import { useLive } from "../../data/live/live.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { saveFile } from "../../data/save_file.ts";
import {
  type CampaignDetails,
  type Failures,
  getCampaign,
  listCampaignFailures,
  listCampaignRecipients,
  type ListCampaignRecipientsData,
  type Recipient,
} from "../../data/sdk.ts";
import { useThrottle } from "../../data/live/throttle.ts";

/** Large enough that 100,000 recipients are 200 requests, small enough to come at once. */
const PAGE = 500;

/** Events do not name who failed: that is read after them, at most so often. */
const READ_MS = 4000;

/** The parameters of the SDK's functions for one campaign. */
export interface CampaignPath {
  company_id: string;
  campaign_id: string;
}

/** Names a campaign of the company that is shown. */
export function campaignPath(campaignId: string): CampaignPath {
  return { company_id: companyId(), campaign_id: campaignId };
}

/** Reads a campaign; events change its counters. */
export function useCampaign(path: CampaignPath): Query<CampaignDetails> {
  const campaign = useQuery(
    `campaign ${path.campaign_id}`,
    (signal) => ask(getCampaign({ client: api(), path, signal })),
  );
  const readAgain = useThrottle(campaign.reload, READ_MS);
  const { status, wait } = campaign.data ?? {};
  useLive("campaign", (event) => {
    const change = event as Partial<CampaignDetails>;
    if (change.campaign_id !== path.campaign_id) return;
    campaign.patch((known) => ({ ...known, ...change }));
    // Why it waits, and until when, is not in the event.
    if (change.status !== status) campaign.reload();
    else if ((change.processing === 0 && change.pending !== 0) !== Boolean(wait)) readAgain();
  });
  return campaign;
}

/** Reads why recipients failed. */
export function useFailures(path: CampaignPath): Query<Failures> {
  const failures = useQuery(
    `campaign failures ${path.campaign_id}`,
    (signal) => ask(listCampaignFailures({ client: api(), path, signal })),
  );
  useAfterEvents(path, failures.reload);
  return failures;
}

/** The filters of recipients, as they are in the address. */
export type RecipientFilters = Partial<Record<"status" | "code" | "number", string>>;

/** Reads recipients in the order of the request. */
export function useRecipients(path: CampaignPath, filters: RecipientFilters): List<Recipient> {
  const { status, code, number } = filters;
  const list = useList<Recipient>({
    key: `recipients ${path.campaign_id} ${status} ${code} ${number}`,
    idOf: (recipient) => recipient.notification_id,
    async read(after, signal) {
      // A page of a filtered list may be empty and yet not the last one.
      while (true) {
        const query = given<ListCampaignRecipientsData["query"]>({ ...filters, limit: PAGE, after });
        const page = await ask(listCampaignRecipients({ client: api(), path, query, signal }));
        if (page.recipients.length > 0 || page.next === null) {
          return { rows: page.recipients, next: page.next };
        }
        after = page.next;
      }
    },
  });
  useAfterEvents(path, list.reload);
  return list;
}

/** Saves all recipients that the filters leave as a file. */
export async function downloadRecipients(path: CampaignPath, filters: RecipientFilters): Promise<void> {
  const query = given<ListCampaignRecipientsData["query"]>({ ...filters, format: "csv" });
  const file = await ask(listCampaignRecipients({ client: api(), path, query, parseAs: "blob" })) as unknown;
  saveFile(`recipients-${path.campaign_id}.csv`, file as Blob);
}

/** Reads something of a campaign anew after its events, at most every `ms`. */
export function useAfterEvents({ campaign_id }: CampaignPath, reload: () => void, ms = READ_MS): void {
  const readAgain = useThrottle(reload, ms);
  useLive("campaign", (event) => event.campaign_id === campaign_id && readAgain());
}
