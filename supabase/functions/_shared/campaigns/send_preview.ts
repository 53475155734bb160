import type { Sql } from "../db/driver/connect.ts";
import { type MarketingPreview, previewMarketing } from "../db/queue/frequency_caps.ts";
import type { SendContext } from "../db/queue/send_context.ts";
import { capDays, type Postponement, postponementOf } from "../dispatching/hours_and_caps.ts";
import { utcSeconds } from "../scheduling/due_time.ts";
import { appliesTo, readFrequencyCaps } from "../scheduling/sending_rules.ts";
import type { Channel, ChannelPlan, SendPreview } from "./channel.ts";
import { repetitions } from "./likely_mistakes.ts";
import type { NotificationRequest } from "./notification_request.ts";
import { waitSentence } from "./wait_sentence.ts";
import type { Warning } from "./warnings.ts";

/** A request as it was planned, with the facts that it was planned on. */
export interface PlannedRequest {
  channel: Pick<Channel<NotificationRequest>, "name">;
  request: Pick<NotificationRequest, "notification_type" | "timezone">;
  /** The campaign that the request adds to is paused. */
  isPaused: boolean;
  draft: Pick<ChannelPlan, "batch" | "due" | "category">;
  context: SendContext;
  now: Date;
}

/**
 * Returns the preview of each notification, in order. Queries the database only for marketing of a company with caps or
 * marketing cooldowns. Without any rule the list is empty, and every notification leaves when it is due.
 */
export async function previewSends(sql: Sql, planned: PlannedRequest): Promise<SendPreview[]> {
  const { channel: { name: channel }, request, draft: { batch, due }, context, now } = planned;
  const { company_id, sending_hours } = context;
  const isMarketing = (planned.draft.category ?? request.notification_type) === "marketing";
  const frequency_caps = isMarketing ? context.frequency_caps : null;
  const hasCooldowns = isMarketing && context.marketing_cooldown;
  if (sending_hours === null && frequency_caps === null && !hasCooldowns) return [];
  const timezone = request.timezone ?? null;
  const subjects = batch.notifications.map(({ id, number, user_id }) => ({
    ...{ company_id, id, number, user_id, channel, is_marketing: isMarketing, timezone },
    ...{ sending_hours, frequency_caps },
  }));
  const dueOf = (position: number) => batch.notifications[position]!.run_at ?? due;
  const caps = (readFrequencyCaps(frequency_caps ?? []) ?? [])
    .filter((cap) => appliesTo({ ...cap, category: "marketing" }, { channel, isMarketing }));
  const marketing = subjects.length > 0 && (caps.length > 0 || hasCooldowns)
    ? await previewMarketing(sql, {
      companyId: company_id,
      channel,
      recipients: subjects.map((subject, position) => ({
        number: subject.number,
        user_id: subject.user_id ?? null,
        ...capDays(subject, caps, dueOf(position) ?? now),
      })),
    })
    : [];
  return await Promise.all(subjects.map(async (subject, position) => {
    const ownDue = dueOf(position);
    const postponement = await postponementOf(subject, ownDue ?? now);
    return previewOf({ marketing: marketing[position], postponement, due: ownDue, now });
  }));
}

function previewOf({ marketing, postponement, due, now }: {
  marketing: MarketingPreview | undefined;
  postponement: Postponement | null;
  due: Date | null;
  now: Date;
}): SendPreview {
  if (marketing?.is_over) {
    const reason = "The recipient was sent as many marketing messages as the company allows";
    return { status: "skipped", code: "frequency_cap", reason, leavesAt: null };
  }
  const cooldownUntil = marketing?.cooldown_until ?? null;
  if (
    cooldownUntil !== null && cooldownUntil > (due ?? now) && cooldownUntil > (postponement?.until ?? now)
  ) {
    const reason = "The platform spares the recipient more marketing until then";
    return { status: "held", code: "marketing_cooldown", reason, leavesAt: cooldownUntil };
  }
  if (postponement !== null) {
    const { until, code, reason } = postponement;
    return { status: "held", code, reason, leavesAt: until };
  }
  return { status: "ok", code: null, reason: null, leavesAt: due };
}

/** Returns a warning for each reason that keeps notifications of a request from leaving when they are due. */
export function waitWarnings(planned: PlannedRequest, previews: SendPreview[]): Warning[] {
  const contacts = planned.draft.batch.notifications.length;
  return [
    ...ofSender(planned, contacts),
    ...ofCampaign(planned, contacts),
    ...ofRules(previews),
    ...ofRepeatedCalls(planned),
    ...limitWarnings(planned.context, contacts),
  ];
}

/** The warnings while the sender sends nothing at all. */
function ofSender({ context, draft: { due }, now }: PlannedRequest, contacts: number): Warning[] {
  const { sender_stopped, sender_stopped_until, outage_since, outage_until } = context;
  const isOverBy = (until: Date | null) => until !== null && due !== null && until <= due;
  const scope = (until: Date | null) => ({
    ...(contacts > 0 && { contacts }),
    ...(until !== null && until > now && { until: utcSeconds(until) }),
  });
  if (sender_stopped !== null && !isOverBy(sender_stopped_until)) {
    const message = waitSentence("sender_stopped", { since: null, detail: sender_stopped });
    return [{ code: "sender_stopped", message, ...scope(sender_stopped_until) }];
  }
  if (outage_since === null || isOverBy(outage_until)) return [];
  const message = waitSentence("platform_unreachable", { since: outage_since });
  return [{ code: "platform_unreachable", message, ...scope(outage_until) }];
}

/** The warning while the campaign that the request adds to is paused. */
function ofCampaign({ isPaused }: PlannedRequest, contacts: number): Warning[] {
  if (!isPaused) return [];
  const message = "The campaign is paused: what is added waits until it is resumed";
  return [{ code: "campaign_paused", message, ...(contacts > 0 && { contacts }) }];
}

/** The rules about recipients: one warning for all that wait for the same reason. */
function ofRules(previews: SendPreview[]): Warning[] {
  const warnings = new Map<string, Warning>();
  for (const { code, reason, leavesAt } of previews) {
    if (code === null) continue;
    const warning = { code, message: reason!, contacts: 1, ...(leavesAt && { until: utcSeconds(leavesAt) }) };
    const known = warnings.get(code);
    warnings.set(code, known ? addWarning(known, warning) : warning);
  }
  return [...warnings.values()];
}

/** Returns a warning for the contacts of both, until the first of them leaves. */
export function addWarning<Some extends Pick<Warning, "contacts" | "until">>(
  some: Some,
  { contacts, until }: Pick<Warning, "contacts" | "until">,
): Some {
  const first = [some.until, until].filter((time) => time !== undefined).toSorted()[0];
  return {
    ...some,
    ...(contacts !== undefined && { contacts: (some.contacts ?? 0) + contacts }),
    ...(first !== undefined && { until: first }),
  };
}

function ofRepeatedCalls({ channel, context: { call_gap_s }, draft, now }: PlannedRequest): Warning[] {
  if (channel.name !== "voice" || call_gap_s === 0) return [];
  const contacts = repetitions(draft.batch).length;
  if (contacts === 0) return [];
  return [{
    code: "call_gap",
    message:
      `A campaign calls a number again ${call_gap_s} seconds after its last call to it at the earliest`,
    contacts,
    until: utcSeconds(new Date((draft.due ?? now).getTime() + call_gap_s * 1000)),
  }];
}

/** The platform's lowest limit: of a sender of low quality whose own is not known. */
const LOWEST_LIMIT = 250;

/** Returns warnings of what the platform allows the sender of so many messages. */
export function limitWarnings(
  { sender_limit, sender_quality }: Pick<SendContext, "sender_limit" | "sender_quality">,
  contacts: number,
): Warning[] {
  const warnings: Warning[] = [];
  const limit = peopleOf(sender_limit);
  if (limit !== null && contacts > limit) {
    warnings.push({
      code: "sender_limit",
      message:
        `The platform lets the sender begin conversations with ${limit} people in 24 hours, and refuses more: ` +
        `of ${contacts}, it may reach ${limit} today`,
      contacts: contacts - limit,
    });
  }
  if (sender_quality === "RED") {
    const low = "The platform rates the quality of the sender as low: it may limit or stop it";
    const excess = sender_limit === null ? contacts - LOWEST_LIMIT : 0;
    warnings.push(
      excess <= 0 ? { code: "sender_quality", message: low } : {
        code: "sender_quality",
        message: `${low}. Of ${contacts} people, it may reach no more than ${LOWEST_LIMIT} today`,
        contacts: excess,
      },
    );
  }
  return warnings;
}

/** Reads the platform's words, such as TIER_250 or TIER_2K; null for no limit, or an unknown one. */
export function peopleOf(limit: ChannelPlan["sender"]["sender_limit"]): number | null {
  const [, digits, thousands] = /^TIER_(\d+)(K?)$/.exec(limit ?? "") ?? [];
  return digits === undefined ? null : Number(digits) * (thousands ? 1000 : 1);
}
