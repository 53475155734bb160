import { api, ask } from "../../data/client.ts";
import { type Query, useQuery } from "../../data/query.ts";
import {
  type CampaignDetails,
  type CampaignPricing,
  getCampaignPricing,
  getCampaignRecipient,
  getHistory,
  getTemplate,
  getUpload,
  listCampaignRecipients,
  type Upload,
} from "../../data/sdk.ts";
import { messageOf, messageOfRendered, type PreviewMessage } from "../../data/template_message.ts";
import { examplesOf } from "../template/template_data.ts";
import { type CampaignPath, useAfterEvents } from "./campaign_data.ts";

const DAY_MS = 86_400_000;

/** The history has no more than that (docs/history.md). */
const MAX_DAYS = 390;

/** These change slowly, and are sums over many messages. */
const READ_MS = 60_000;

/** Reads what the platform charged; undefined for calls, of which it reports nothing. */
export function usePricing(path: CampaignPath, channel: string): CampaignPricing | undefined {
  const pricing = useQuery(
    `campaign pricing ${path.campaign_id}`,
    async (signal) =>
      channel === "whatsapp" ? await ask(getCampaignPricing({ client: api(), path, signal })) : undefined,
  );
  useAfterEvents(path, pricing.reload, READ_MS);
  return pricing.data;
}

/** Reads to which countries a campaign goes, the most frequent first; nothing of a campaign of one message. */
export function useCountries(path: CampaignPath, createdAt: string): [code: string, people: number][] {
  const { company_id, campaign_id } = path;
  const countries = useQuery(`campaign countries ${campaign_id}`, async (signal) => {
    const from = Date.parse(createdAt) - DAY_MS;
    if (from < Date.now() - MAX_DAYS * DAY_MS) return [];
    const query = { by: "country", campaign_id, from: new Date(from).toISOString() } as const;
    const { rows } = await ask(getHistory({ client: api(), path: { company_id }, query, signal }));
    const people = new Map<string, number>();
    for (const { key, accepted } of rows) {
      if (key !== null && accepted > 0) people.set(key, (people.get(key) ?? 0) + accepted);
    }
    return [...people].sort(([, a], [, b]) => b - a);
  });
  useAfterEvents(path, countries.reload, READ_MS);
  return countries.data ?? [];
}

/** Reads the file or the audience that a campaign was made of. */
export function useOrigin({ company_id }: CampaignPath, uploadId: string | null): Query<Upload | undefined> {
  return useQuery(`origin ${uploadId}`, async (signal) => {
    if (uploadId === null) return undefined;
    return await ask(getUpload({ client: api(), path: { company_id, upload_id: uploadId }, signal }));
  });
}

/** Reads what a campaign says: as its first recipient gets it, or with the examples of its template. */
export function useMessage(
  path: CampaignPath,
  { channel, template, total }: CampaignDetails,
): Query<{ message: PreviewMessage; isSent: boolean } | undefined> {
  return useQuery(`campaign message ${path.campaign_id} ${total > 0}`, async (signal) => {
    if (channel === "voice" || template === null) return undefined;
    const { recipients } = await ask(
      listCampaignRecipients({ client: api(), path, query: { limit: 1 }, signal }),
    );
    const rendered = recipients[0] &&
      (await readRecipient(path, recipients[0].notification_id, signal)).rendered;
    if (rendered) return { message: messageOfRendered(rendered), isSent: true };
    if (template.status === null) return undefined;
    const of = { company_id: path.company_id, template_id: template.template_id };
    const known = await ask(getTemplate({ client: api(), path: of, signal }));
    return { message: messageOf(known, examplesOf(known)), isSent: false };
  });
}

/** Reads a recipient with the message as they get it. */
export async function readRecipient(path: CampaignPath, notification_id: string, signal: AbortSignal) {
  return await ask(getCampaignRecipient({ client: api(), path: { ...path, notification_id }, signal }));
}
