import { DateTime } from "luxon";
import type { CampaignOrigin, DraftPlan } from "../db/campaigns/drafts.ts";
import { withoutNulls } from "../values/objects.ts";
import { readStoredPlan, type UploadPlan } from "./uploads/upload_plan.ts";

/** The fields that a copy may lack. */
export const NOT_COPIED = ["contacts", "components_push", "variables", "datetime_sending"] as const;

interface NotCopied {
  field: typeof NOT_COPIED[number];
  reason: string;
}

/**
 * Returns the draft of a campaign like another one, and what it lacks because the other one does not have it stored.
 *
 * @param keepsTime with its time, where it has one
 */
export function copyCampaign(
  origin: CampaignOrigin,
  { keepsTime }: { keepsTime: boolean },
): { name: string; plan: DraftPlan; notCopied: NotCopied[] } {
  const { upload, scheduled_time, channel } = origin;
  const stored = upload === null ? null : readStoredPlan(upload);
  const notCopied: NotCopied[] = [];
  if (!stored?.audience) notCopied.push({ field: "contacts", reason: "A draft has no recipients" });
  if (scheduled_time !== null && !keepsTime) {
    notCopied.push({ field: "datetime_sending", reason: "The copy has no time yet" });
  }
  if (stored === null) {
    notCopied.push({
      field: channel === "voice" ? "variables" : "components_push",
      reason: "The values are stored with the message to each recipient only",
    });
  }
  return {
    name: origin.name,
    plan: {
      channel,
      ...stored === null ? storedFields(origin) : plannedFields(stored),
      ...keepsTime && timeOf(origin),
    },
    notCopied,
  };
}

function plannedFields(plan: UploadPlan): Record<string, unknown> {
  const { channel: _, fields, file_name: _file, list_name: _list, ...rest } = plan;
  const { datetime_sending: _time, ...kept } = fields;
  return { ...withoutColumnValues(kept, rest.columns), ...withoutNulls(rest) };
}

function storedFields(origin: CampaignOrigin): Record<string, unknown> {
  const { notification_type, sender, agent_id, name_event, timezone, timing } = origin;
  return withoutNulls({
    recipient_id: sender,
    notification_type,
    campaign_name: origin.name,
    name_template: origin.template_name,
    language_template: origin.template_language,
    agent_id,
    name_event,
    timezone,
    recipient_time: timing?.recipient_time ?? null,
    spread_over: timing?.spread_over ?? null,
  });
}

/** Returns the time of a campaign on the clock of its zone. With an hour of the recipients' own, the day counts. */
function timeOf({ scheduled_time, timezone, timing }: CampaignOrigin): Record<string, unknown> {
  if (scheduled_time === null) return {};
  const zone = timezone ?? "UTC";
  const at = DateTime.fromJSDate(scheduled_time, { zone });
  const day = timing?.recipient_time ? timing.day ?? at.toISODate() : null;
  return {
    datetime_sending: day === null ? at.toFormat("yyyy-MM-dd'T'HH:mm:ss") : `${day}T00:00:00`,
    timezone: zone,
  };
}

/** Leaves out the references that an upload makes of its columns: `readUploadPlan` makes them again. */
function withoutColumnValues(
  fields: Record<string, unknown>,
  columns: Record<string, string>,
): Record<string, unknown> {
  const values = fields.components_push as Record<string, unknown> | undefined;
  if (values === undefined) return fields;
  const fixed = Object.entries(values).filter(([name, value]) =>
    !(name in columns && value === `{{${name}}}`)
  );
  return { ...fields, components_push: Object.fromEntries(fixed) };
}
