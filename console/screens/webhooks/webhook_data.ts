import { useEffect, useRef } from "preact/hooks";
import { api, ask, askWithEtag } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { given } from "../../data/given.ts";
import { type List, useList } from "../../data/list.ts";
import { useLive } from "../../data/live/live.ts";
import { type Query, useQuery } from "../../data/query.ts";
import {
  type Delivery,
  type DeliveryDetails,
  type EventType,
  type FurtherWebhook,
  getDelivery,
  getFurtherWebhook,
  getWebhook,
  getWebhookHistory,
  listDeliveries,
  type ListDeliveriesData,
  listFurtherWebhooks,
  type Webhook,
  type WebhookHistory,
} from "../../data/sdk.ts";
import { useRows } from "../../data/rows.ts";
import { useThrottle } from "../../data/live/throttle.ts";
import { queryOf, type Target } from "./target.ts";

/** Every event that a company can receive; one that is missing here does not compile. */
const EVENTS: Record<EventType, true> = {
  "notification.sent": true,
  "notification.delivered": true,
  "notification.read": true,
  "notification.failed": true,
  "notification.skipped": true,
  "campaign.completed": true,
  "template.status_changed": true,
  "sender.status_changed": true,
  "sender.updated": true,
  "flow.triggered": true,
  "message.received": true,
  "message.failed": true,
  "contact.opted_out": true,
  "contact.opted_in": true,
  "conversation.started": true,
  "conversation.message": true,
  "conversation.handoff_requested": true,
  "conversation.follow_up": true,
  "conversation.rated": true,
  "handoff.requested": true,
  "handoff.ended": true,
  "key.expiring": true,
};

/** An event that a test alone sends. */
export const TEST_EVENT = "webhook.test" as const;

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

const PAGE = 100;

const READ_MS = 2000;

/** When to read again what a member just had sent: the API reports failures as events, and nothing of successes. */
const FOLLOW_MS = [500, 1500, 3000, 6000, 12_000];

/** The company's webhook, null where it has none, and what names its settings as they are. */
export interface WebhookSettings {
  webhook: Webhook | null;
  etag: string;
}

/** Reads the company's webhook. */
export function useWebhook(): Query<WebhookSettings> {
  const path = { company_id: companyId() };
  const query = useQuery(
    `webhook ${path.company_id}`,
    (signal) => askWithEtag(getWebhook, { path, signal }),
  );
  const readAgain = useThrottle(query.reload, READ_MS);
  useLive("delivery", readAgain);
  return query;
}

/** A webhook beside the company's own, and what names its settings as they are. */
export interface FurtherSettings {
  endpointId: string;
  webhook: FurtherWebhook;
  etag: string;
}

/** Reads the webhooks beside the company's own, newest first. */
export function useFurtherWebhooks(): List<FurtherWebhook> {
  const list = useRows(listFurtherWebhooks, "webhooks", ({ endpoint_id }) => endpoint_id);
  const readAgain = useThrottle(list.reload, READ_MS);
  useLive("delivery", readAgain);
  return list;
}

/** Reads one of them. */
export function useFurtherWebhook(endpointId: string): Query<FurtherSettings> {
  const path = { company_id: companyId(), endpoint_id: endpointId };
  const query = useQuery(`further webhook ${endpointId}`, async (signal) => {
    const { etag, ...webhook } = await askWithEtag(getFurtherWebhook, { path, signal });
    return { endpointId, webhook, etag };
  });
  const readAgain = useThrottle(query.reload, READ_MS);
  useLive("delivery", readAgain);
  return query;
}

/** Reads how the tries of the last week went, hour by hour. */
export function useHistory(of: Target): Query<WebhookHistory> {
  const path = { company_id: companyId() };
  const query = useQuery(
    `webhook history ${path.company_id} ${of}`,
    (signal) => ask(getWebhookHistory({ client: api(), path, query: queryOf(of), signal })),
  );
  const readAgain = useThrottle(query.reload, READ_MS);
  useLive("delivery", readAgain);
  return query;
}

/** The spans of the filter, in hours. */
export const SPANS = { "1h": 1, "24h": 24, "7d": 168 } as const;

/** Returns when a span began; undefined for one that is unknown. */
export function spanBegan(span: string | undefined): string | undefined {
  const hours = SPANS[span as keyof typeof SPANS];
  return hours && new Date(Date.now() - hours * 3_600_000).toISOString();
}

/** The filters of deliveries, as they are in the address. */
export type DeliveryFilters = Partial<
  Record<"status" | "type" | "since" | "endpoint_id", string | undefined>
>;

/** Reads deliveries, newest first. */
export function useDeliveries({ status, type, since, endpoint_id }: DeliveryFilters): List<Delivery> {
  const company_id = companyId();
  const list = useList<Delivery>({
    key: `deliveries ${company_id} ${endpoint_id} ${status} ${type} ${since}`,
    idOf: (delivery) => delivery.event_id,
    async read(after, signal) {
      const query = given<ListDeliveriesData["query"]>({
        status,
        type,
        since: spanBegan(since),
        endpoint_id,
        after,
        limit: PAGE,
      });
      const page = await ask(listDeliveries({ client: api(), path: { company_id }, query, signal }));
      return { rows: page.deliveries, next: page.next };
    },
  });
  const readAgain = useThrottle(list.reload, READ_MS);
  useLive("delivery", readAgain);
  return list;
}

/** Reads one delivery with its body and tries. */
export function useDelivery(of: Target, event_id: string): Query<DeliveryDetails> {
  const path = { company_id: companyId(), event_id };
  const query = useQuery(
    `delivery ${of} ${event_id}`,
    (signal) => ask(getDelivery({ client: api(), path, query: queryOf(of), signal })),
  );
  useLive("delivery", (event) => event.event_id === event_id && query.reload());
  return query;
}

/** Returns a function that calls `read` a few times, to see how a delivery goes that a member just asked for. */
export function useFollowUp(read: () => void): () => void {
  const latest = useRef(read);
  latest.current = read;
  const timers = useRef<ReturnType<typeof setTimeout>[]>([]);
  const stop = () => timers.current.forEach(clearTimeout);
  useEffect(() => stop, []);
  return () => {
    stop();
    timers.current = FOLLOW_MS.map((ms) => setTimeout(() => latest.current(), ms));
  };
}
