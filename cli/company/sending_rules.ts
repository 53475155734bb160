import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import {
  changeSendingRules,
  readSendingRules,
  type StoredSendingRules,
} from "../../supabase/functions/_shared/db/queue/sending_rules.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { findUnknownCalendar } from "../../supabase/functions/_shared/scheduling/holidays.ts";
import {
  type FrequencyCap,
  frequencyCapsSchema,
  type HoursRule,
  sendingHoursSchema,
} from "../../supabase/functions/_shared/scheduling/sending_rules.ts";
import { CommandError } from "../errors/command_error.ts";
import { refuseOnConstraint, unknownCompany } from "../errors/refusals.ts";

/** A company's rules about when and how often to send. */
export interface SendingRules {
  hours: HoursRule[];
  caps: FrequencyCap[];
}

/** @throws {CommandError} `bad_value` for rules that this version cannot read, such as those of a later one */
function checked({ sending_hours, frequency_caps }: StoredSendingRules): SendingRules {
  const hours = sendingHoursSchema.safeParse(sending_hours);
  const caps = frequencyCapsSchema.safeParse(frequency_caps);
  if (hours.success && caps.success) return { hours: hours.data, caps: caps.data };
  throw new CommandError(
    "bad_value",
    "The company's sending hours or caps cannot be read by this version, so its messages wait: use the version that " +
      "wrote them, or set contact_rules.sending_hours and frequency_caps to '[]'",
  );
}

/**
 * Returns a company's rules.
 *
 * @throws {CommandError} `not_found`
 */
export async function sendingRulesOf({ sql }: { sql: Sql }, companyId: string): Promise<SendingRules> {
  const stored = await readSendingRules(sql, companyId);
  if (stored === undefined) throw unknownCompany(companyId);
  return checked(stored);
}

async function change(
  sql: Sql,
  companyId: string,
  changed: (before: SendingRules) => Partial<StoredSendingRules>,
): Promise<SendingRules> {
  const writing = changeSendingRules(sql, {
    companyId,
    change: (before) => changed(checked(before)),
  }, CLI);
  return checked(await refuseOnConstraint(writing, { companyId }));
}

/**
 * Adds a rule to a company's sending hours, in place of one for the same channel and category.
 *
 * @throws {CommandError} `not_found`, or `bad_value` for a calendar of holidays that does not exist or too many rules
 */
export async function setHoursRule(
  { sql }: { sql: Sql },
  { companyId, rule }: { companyId: string; rule: HoursRule },
): Promise<HoursRule[]> {
  const unknown = await findUnknownCalendar(rule);
  if (unknown !== undefined) {
    throw new CommandError(
      "bad_value",
      `No holidays are known for ${unknown}: give countries such as ES or US-FL`,
    );
  }
  const isOther = ({ channel, category }: HoursRule) =>
    channel !== rule.channel || category !== rule.category;
  const { hours } = await change(sql, companyId, (before) => {
    const after = sendingHoursSchema.safeParse([...before.hours.filter(isOther), rule]);
    if (!after.success) throw new CommandError("bad_value", "A company may have at most 20 rules");
    return { sending_hours: after.data };
  });
  return hours;
}

/**
 * Removes rules from a company's sending hours: those of the given channel and category, any where none is given.
 *
 * @throws {CommandError} `not_found`
 */
export async function removeHoursRules(
  { sql }: { sql: Sql },
  { companyId, channel, category }: {
    companyId: string;
    channel?: HoursRule["channel"] | undefined;
    category?: HoursRule["category"] | undefined;
  },
): Promise<HoursRule[]> {
  const isKept = (rule: HoursRule) =>
    channel !== undefined && rule.channel !== channel || category !== undefined && rule.category !== category;
  const { hours } = await change(
    sql,
    companyId,
    (before) => ({ sending_hours: before.hours.filter(isKept) }),
  );
  return hours;
}

/**
 * Adds a cap on marketing messages per person, in place of one for the same channel and days.
 *
 * @throws {CommandError} `not_found`, or `bad_value` for too many caps
 */
export async function addFrequencyCap(
  { sql }: { sql: Sql },
  { companyId, cap }: { companyId: string; cap: FrequencyCap },
): Promise<FrequencyCap[]> {
  const isOther = ({ channel, days }: FrequencyCap) => channel !== cap.channel || days !== cap.days;
  const { caps } = await change(sql, companyId, (before) => {
    const after = frequencyCapsSchema.safeParse([...before.caps.filter(isOther), cap]);
    if (!after.success) throw new CommandError("bad_value", "A company may have at most 10 caps");
    return { frequency_caps: after.data };
  });
  return caps;
}

/**
 * Removes all caps of a company.
 *
 * @throws {CommandError} `not_found`
 */
export async function removeFrequencyCaps(
  { sql }: { sql: Sql },
  { companyId }: { companyId: string },
): Promise<FrequencyCap[]> {
  return (await change(sql, companyId, () => ({ frequency_caps: [] }))).caps;
}
