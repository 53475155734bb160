import { InvalidArgumentError } from "commander";
import { DateTime } from "luxon";
import { type Address, NUMBER, USER_ID } from "../../supabase/functions/_shared/values/address.ts";
import { zonesOfRecipient } from "../../supabase/functions/_shared/scheduling/recipient_places.ts";
import { checkHours, type HoursVerdict } from "../../supabase/functions/_shared/scheduling/sending_hours.ts";
import { CommandError } from "../errors/command_error.ts";
import { type Column, renderTable } from "../terminal/render.ts";
import type { CommandOutput, Session } from "../session.ts";
import { sendingRulesOf } from "./sending_rules.ts";

/** A recipient, and the moment and zone of an imagined campaign. */
export interface CheckOptions {
  check: Address;
  at: Date;
  timezone: string;
}

/** Reads a number or a user id of the platform. */
export function recipientAddress(value: string): Address {
  if (NUMBER.test(value)) return { number: value, user_id: null };
  if (USER_ID.test(value)) return { number: null, user_id: value };
  throw new InvalidArgumentError("Expected a number such as 34600111222, or a user id such as ES.1349.");
}

interface Row {
  channel: "whatsapp" | "voice";
  category: "marketing" | "other";
  leavesAt: Date;
  by: HoursVerdict["by"];
}

const REASONS: Record<HoursVerdict["by"], string> = {
  none: "no rule is about it",
  recipient: "the recipient's zones",
  campaign: "the campaign's zone: no moment suits all zones of the recipient, or none is known",
  never: "the rules leave no moment in 14 days: it is checked again then",
};

/**
 * Returns when a message and a call to a recipient would leave by the company's sending hours, and why.
 *
 * @throws {CommandError} `not_found`, or `bad_value` for an unknown time zone
 */
export async function checkRecipient(
  session: Session,
  companyId: string,
  { check, at: now = new Date(), timezone = "UTC" }: Partial<CheckOptions> & Pick<CheckOptions, "check">,
): Promise<CommandOutput> {
  if (!DateTime.now().setZone(timezone).isValid) {
    throw new CommandError("bad_value", `There is no time zone ${timezone}: give one such as Europe/Madrid`);
  }
  const { hours } = await sendingRulesOf(session, companyId);
  const rows: Row[] = [];
  let countries: string[] = [];
  for (const channel of ["whatsapp", "voice"] as const) {
    for (const category of ["marketing", "other"] as const) {
      const subject = { ...check, channel, isMarketing: category === "marketing", timezone };
      const verdict = await checkHours(hours, subject, now);
      if (verdict.countries.length > 0) countries = verdict.countries;
      rows.push({ channel, category, leavesAt: verdict.until ?? now, by: verdict.by });
    }
  }
  const zones = zonesOfRecipient(check);
  const local = zones[0] ?? timezone;
  return {
    json: {
      company_id: companyId,
      at: now.toISOString(),
      countries,
      zones,
      results: rows.map(({ channel, category, leavesAt, by }) => ({
        channel,
        category,
        leaves_at: leavesAt.toISOString(),
        waits: leavesAt > now,
        by,
      })),
    },
    text: renderTable(columnsFor(now, local), rows, ""),
  };
}

function columnsFor(now: Date, zone: string): Column<Row>[] {
  return [
    ["CHANNEL", ({ channel }) => channel],
    ["CATEGORY", ({ category }) => category],
    ["LEAVES AT", ({ leavesAt }) => leavesAt],
    ["THERE", ({ leavesAt }) => `${DateTime.fromJSDate(leavesAt, { zone }).toFormat("ccc HH:mm")} ${zone}`],
    ["WAITS", ({ leavesAt }) => leavesAt > now],
    ["BY", ({ by }) => REASONS[by]],
  ];
}
