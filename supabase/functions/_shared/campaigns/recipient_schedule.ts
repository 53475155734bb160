import {
  createZoneFinder,
  nextLocalTime,
  positionInPeriod,
  type RecipientZone,
  spreadMs,
} from "../scheduling/recipient_time.ts";
import { contactIndexes, type PreparedBatch, type PreparedNotification } from "./batch.ts";
import type { NotificationRequest } from "./notification_request.ts";

/** The zones of people as the company has stored them, by number or user id. */
export type StoredZones = ReadonlyMap<string, string | null>;

interface ScheduleFacts {
  /** The time that the request names for all; null for at once. */
  due: Date | null;
  now: Date;
  /** Further requests for the campaign follow, or came before: it is not known how many recipients it will have. */
  isPart: boolean;
  storedZones: StoredZones;
}

/**
 * Gives each notification of a batch the time at which its request wants it, where that is not one time for all. Returns when
 * the first of them is due; null for at once.
 */
export function scheduleRecipients(
  request: Pick<NotificationRequest, "contacts" | "timing" | "timezone" | "datetime_sending">,
  batch: PreparedBatch,
  facts: ScheduleFacts,
): Date | null {
  const { timing } = request;
  const { due, now, isPart } = facts;
  if (timing === null || batch.notifications.length === 0) return due;
  const { recipient_time: time, spread_over: spread } = timing;
  const start = Math.max(due?.getTime() ?? 0, now.getTime());
  const day = request.datetime_sending?.slice(0, 10) ?? null;
  const zones = time === undefined ? null : zonesOf(request, batch, { ...facts, at: start });
  const period = spread === undefined ? 0 : spreadMs(spread);
  const count = batch.notifications.length;
  let first = Infinity;
  batch.notifications.forEach((notification, position) => {
    const known = zones?.[position];
    const base = known === undefined ? start : nextLocalTime({ day, time: time! }, known.zone, now.getTime());
    const part = isPart ? positionInPeriod(addressOf(notification)) : position / count;
    const at = base + Math.floor(period * part);
    notification.run_at = new Date(at);
    if (known !== undefined) notification.zone = { timezone: known.zone.name, source: known.source };
    first = Math.min(first, at);
  });
  // Each request of a campaign names the same time; what is spread over it begins there.
  return time === undefined ? due : new Date(first);
}

function zonesOf(
  { contacts, timezone }: Pick<NotificationRequest, "contacts" | "timezone">,
  batch: PreparedBatch,
  { storedZones, at }: Pick<ScheduleFacts, "storedZones"> & { at: number },
): RecipientZone[] {
  const find = createZoneFinder(at);
  const indexes = contactIndexes(batch);
  return batch.notifications.map((notification, position) =>
    find(notification, {
      contact: (contacts[indexes[position]!] as { timezone?: unknown }).timezone,
      stored: storedZones.get(addressOf(notification)),
      request: timezone,
    })
  );
}

function addressOf({ number, user_id }: Pick<PreparedNotification, "number" | "user_id">): string {
  return number ?? user_id ?? "";
}

/** Returns the addresses of a request's contacts as it gives them, to look up what is stored of these people. */
export function givenAddresses(contacts: unknown[]): string[] {
  return contacts.flatMap((contact) => {
    const { number, user_id } = (contact ?? {}) as Record<string, unknown>;
    const address = number ?? user_id;
    return typeof address === "string" ? [address] : [];
  });
}
