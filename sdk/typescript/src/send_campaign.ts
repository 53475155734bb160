import { createIdempotencyKey } from "./create_client.ts";
import type { Client } from "./generated/client/index.ts";
import { sendNotification } from "./generated/sdk.gen.ts";
import type { BulkAccepted, ChatNotification, Contact, ContactFailure } from "./generated/types.gen.ts";

/** How to send a campaign. */
export interface SendCampaignOptions {
  /**
   * Repeat a campaign that broke off with the same key and the same contacts: what was accepted is not sent again. At
   * most 240 printable characters without spaces.
   */
  idempotencyKey?: string;
  /** Called after every request with what was accepted so far. */
  onProgress?: (campaign: SentCampaign) => void;
  signal?: AbortSignal;
}

/** The result of a campaign's requests. */
export interface SentCampaign {
  campaignId: string;
  total: number;
  processed: number;
  failed: number;
  /** The refused contacts; `index` counts all contacts from 0. */
  errors: Required<ContactFailure>[];
  /** The notification of each contact, null for those in `errors`. */
  notificationIds: (string | null)[];
}

/** A notification without its contacts. */
export type CampaignNotification = Omit<ChatNotification, "contact" | "contacts">;

const MAX_CONTACTS_PER_REQUEST = 100;

/** The response with `details=true`. */
type DetailedResponse = Required<BulkAccepted> & { errors: Required<ContactFailure>[] };

/** Sends a notification to any number of contacts as one campaign, a hundred per request, one request after the other. */
export async function sendCampaign(
  client: Client,
  notification: CampaignNotification,
  contacts: Iterable<Contact> | AsyncIterable<Contact>,
  { idempotencyKey = createIdempotencyKey(), onProgress, signal }: SendCampaignOptions,
): Promise<SentCampaign> {
  let sent: SentCampaign | undefined;
  let count = 0;
  for await (const { batch, isLast } of batchesOf(contacts)) {
    const accepted = await sendNotification({
      client,
      query: {
        details: "true",
        ...(sent && { campaign_id: sent.campaignId }),
        ...(!isLast && { more: "true" as const }),
      },
      headers: { "Idempotency-Key": `${idempotencyKey}-${++count}` },
      body: { ...notification, contacts: batch } as ChatNotification,
      ...(signal && { signal }),
    }) as DetailedResponse;
    sent ??= {
      campaignId: accepted.inquiry_set_id,
      total: 0,
      processed: 0,
      failed: 0,
      errors: [],
      notificationIds: [],
    };
    add(sent, accepted);
    onProgress?.(sent);
  }
  if (sent === undefined) throw new TypeError("contacts: expected at least one");
  return sent;
}

/** Adds the result of a request to that of those before it. */
function add(sent: SentCampaign, accepted: DetailedResponse): void {
  for (const error of accepted.errors) sent.errors.push({ ...error, index: error.index + sent.total });
  sent.notificationIds.push(...accepted.notification_ids);
  sent.total += accepted.total;
  sent.processed += accepted.processed;
  sent.failed += accepted.failed;
}

/** Reads one contact ahead: the last request has to say that it is the last. */
async function* batchesOf(contacts: Iterable<Contact> | AsyncIterable<Contact>) {
  let batch: Contact[] = [];
  for await (const contact of contacts) {
    if (batch.length === MAX_CONTACTS_PER_REQUEST) {
      yield { batch, isLast: false };
      batch = [];
    }
    batch.push(contact);
  }
  if (batch.length > 0) yield { batch, isLast: true };
}
