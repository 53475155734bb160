import { DateTime } from "luxon";
import type { Batcher } from "../concurrency/batcher.ts";
import type { CapDays, CappedSend } from "../db/queue/frequency_caps.ts";
import { zonesOfRecipient } from "../scheduling/recipient_places.ts";
import { nextAllowed } from "../scheduling/sending_hours.ts";
import {
  appliesTo,
  type FrequencyCap,
  readFrequencyCaps,
  readSendingHours,
} from "../scheduling/sending_rules.ts";

/** Rules that this version cannot read hold their notifications this long: nothing leaves against a rule. */
const UNREADABLE_HOLD_MS = 3_600_000;

/** The parts of a claimed notification that the company's rules about recipients look at. */
export interface RuledNotification {
  company_id: string;
  id: string;
  number: string | null;
  user_id: string | null;
  channel: "whatsapp" | "voice";
  is_marketing: boolean;
  /** The campaign's own, an IANA name. */
  timezone: string | null;
}

/** Until when a rule of the company holds a notification, and which one does, as a code and in plain words. */
export interface Postponement {
  until: Date;
  code: "sending_hours" | "rules_unreadable";
  reason: string;
}

/**
 * Returns until when the company's sending hours hold a notification; null when it may leave now. Rules that
 * cannot be read hold it for an hour.
 */
export async function postponementOf(
  notification: RuledNotification & {
    /** `contact_rules.sending_hours`; null for at any time. */
    sending_hours: unknown;
    /** `contact_rules.frequency_caps`; null for none. */
    frequency_caps: unknown;
  },
  now: Date,
): Promise<Postponement | null> {
  const { number, user_id, channel, is_marketing: isMarketing, timezone } = notification;
  if (notification.sending_hours === null && notification.frequency_caps === null) return null;
  const rules = readSendingHours(notification.sending_hours ?? []);
  if (rules === null || readFrequencyCaps(notification.frequency_caps ?? []) === null) {
    const reason = "This version of the service cannot read the company's sending hours or caps";
    return { until: new Date(now.getTime() + UNREADABLE_HOLD_MS), code: "rules_unreadable", reason };
  }
  const until = await nextAllowed(rules, { number, user_id, channel, isMarketing, timezone }, now);
  const reason = "Outside the company's sending hours: it leaves when they begin";
  return until && { until, code: "sending_hours", reason };
}

/**
 * Returns whether one of the company's frequency caps keeps a marketing message from its recipient. A message that no cap
 * keeps is counted, once however often it is tried. Throws when the database fails.
 */
export async function overCap(
  caps: Batcher<CappedSend, boolean>,
  notification: RuledNotification & {
    /** `contact_rules.frequency_caps`; null for none. */
    frequency_caps: unknown;
  },
  now: Date,
): Promise<boolean> {
  const { company_id, id, number, user_id, channel, is_marketing: isMarketing } = notification;
  // `postponementOf` holds what is about caps that cannot be read.
  const all = notification.frequency_caps === null
    ? []
    : readFrequencyCaps(notification.frequency_caps) ?? [];
  const ours = all.filter((cap) => appliesTo({ ...cap, category: "marketing" }, { channel, isMarketing }));
  if (ours.length === 0) return false;
  const days = capDays(notification, ours, now);
  return await caps.add({ company_id, notification_id: id, number, user_id, channel, ...days });
}

/** Returns the days that caps look at, by the first of the zones where the recipient may be. */
export function capDays(
  notification: Pick<RuledNotification, "number" | "user_id" | "timezone">,
  caps: FrequencyCap[],
  now: Date,
): CapDays {
  const zone = zonesOfRecipient(notification)[0] ?? notification.timezone ?? "UTC";
  const today = DateTime.fromJSDate(now, { zone }).startOf("day");
  return {
    day: today.toISODate()!,
    caps: caps.map((cap) => ({ ...cap, since: today.minus({ days: cap.days - 1 }).toJSDate() })),
  };
}
