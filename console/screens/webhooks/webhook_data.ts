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
  getDelivery,
  getWebhook,
  listDeliveries,
  type ListDeliveriesData,
  type Webhook,
} from "../../data/sdk.ts";
import { useThrottle } from "../../data/live/throttle.ts";

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
  "handoff.requested": true,
  "handoff.ended": true,
};

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

/** The spans of the filter, in hours. */
export const SPANS = { "1h": 1, "24h": 24, "7d": 168 } as const;

/** Returns when a span began; undefined for one that is unknown. */
export function spanBegan(span: string | undefined): string | undefined {
  const hours = SPANS[span as keyof typeof SPANS];
  return hours && new Date(Date.now() - hours * 3_600_000).toISOString();
}

/** The filters of deliveries, as they are in the address. */
export type DeliveryFilters = Partial<Record<"status" | "type" | "since", string | undefined>>;

/** Reads deliveries, newest first. */
export function useDeliveries({ status, type, since }: DeliveryFilters): List<Delivery> {
  const company_id = companyId();
  const list = useList<Delivery>({
    key: `deliveries ${company_id} ${status} ${type} ${since}`,
    idOf: (delivery) => delivery.event_id,
    async read(after, signal) {
      const query = given<ListDeliveriesData["query"]>({
        status,
        type,
        since: spanBegan(since),
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
export function useDelivery(event_id: string): Query<DeliveryDetails> {
  const path = { company_id: companyId(), event_id };
  const query = useQuery(
    `delivery ${event_id}`,
    (signal) => ask(getDelivery({ client: api(), path, signal })),
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
