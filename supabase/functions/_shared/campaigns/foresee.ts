import type { Sql } from "../db/driver/connect.ts";
import { foreseeMarketing, type MarketingOutlook } from "../db/queue/frequency_caps.ts";
import type { SendContext } from "../db/queue/send_context.ts";
import { localDay, type Postponement, postponementOf } from "../dispatching/hours_and_caps.ts";
import { appliesTo, readFrequencyCaps } from "../scheduling/sending_rules.ts";
import type { Channel, ChannelPlan, Outlook } from "./channel.ts";
import type { NotificationRequest } from "./notification_request.ts";

/** A request as it was planned, with the facts that it was planned on. */
export interface PlannedRequest {
  channel: Pick<Channel<NotificationRequest>, "name">;
  request: Pick<NotificationRequest, "notification_type" | "timezone">;
  draft: Pick<ChannelPlan, "batch" | "due" | "category">;
  context: SendContext;
  now: Date;
}

/**
 * Returns the outlook for each notification, in order. Reads something only for marketing of a company that has caps, or lets
 * marketing rest; without any rule the list is empty, and every notification leaves when it is due.
 */
export async function foresee(sql: Sql, planned: PlannedRequest): Promise<Outlook[]> {
  const { channel: { name: channel }, request, draft: { batch, due }, context, now } = planned;
  const { company_id, sending_hours } = context;
  const isMarketing = (planned.draft.category ?? request.notification_type) === "marketing";
  const frequency_caps = isMarketing ? context.frequency_caps : null;
  const rests = isMarketing && context.marketing_cooldown;
  if (sending_hours === null && frequency_caps === null && !rests) return [];
  const timezone = request.timezone ?? null;
  const subjects = batch.notifications.map(({ id, number, user_id }) => ({
    ...{ company_id, id, number, user_id, channel, is_marketing: isMarketing, timezone },
    ...{ sending_hours, frequency_caps },
  }));
  const at = due ?? now;
  const caps = (readFrequencyCaps(frequency_caps ?? []) ?? [])
    .filter((cap) => appliesTo({ ...cap, category: "marketing" }, { channel, isMarketing }));
  const marketing = subjects.length > 0 && (caps.length > 0 || rests)
    ? await foreseeMarketing(sql, {
      companyId: company_id,
      channel,
      caps,
      recipients: subjects.map((subject) => ({
        number: subject.number,
        user_id: subject.user_id ?? null,
        day: localDay(subject, at),
      })),
    })
    : [];
  return await Promise.all(subjects.map(async (subject, position) => {
    const postponement = await postponementOf(subject, at);
    return outlookOf({ marketing: marketing[position], postponement, due, now });
  }));
}

function outlookOf({ marketing, postponement, due, now }: {
  marketing: MarketingOutlook | undefined;
  postponement: Postponement | null;
  due: Date | null;
  now: Date;
}): Outlook {
  if (marketing?.is_over) {
    const reason = "The recipient was sent as many marketing messages as the company allows";
    return { status: "skipped", code: "frequency_cap", reason, leavesAt: null };
  }
  const rests = marketing?.cooldown_until ?? null;
  if (rests !== null && rests > (due ?? now) && rests > (postponement?.until ?? now)) {
    const reason = "The platform spares the recipient more marketing until then";
    return { status: "held", code: "marketing_cooldown", reason, leavesAt: rests };
  }
  if (postponement !== null) {
    const { until, code, reason } = postponement;
    return { status: "held", code, reason, leavesAt: until };
  }
  return { status: "ok", code: null, reason: null, leavesAt: due };
}
