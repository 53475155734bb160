import { z } from "zod";
import { platformWords } from "../platform_text.ts";
import { keyword, optionalText, text, unixTime } from "./webhook_values.ts";

/** A change of a business account or of one of its numbers, as the platform reports it; null where not mentioned. */
export interface AccountChange {
  /** Digits; null for all numbers of the account. */
  number: string | null;
  /** `disabled` until the platform reinstates the account, `restricted` until then or until `until`. */
  status: "active" | "restricted" | "disabled" | null;
  /** Why, in a sentence for people; null when the account is active. */
  reason: string | null;
  /** When a restriction ends, ISO 8601; null when the platform does not say. */
  until: string | null;
  /** How many people per day the business may write to first: `TIER_250`, `TIER_2K` …, `TIER_UNLIMITED`. */
  messagingLimit: string | null;
  /** `RED`, or `UNKNOWN` when it is no longer that. */
  quality: string | null;
  /** A warning: the account may still send. */
  notice: string | null;
}

const NOTHING: AccountChange = {
  number: null,
  status: null,
  reason: null,
  until: null,
  messagingLimit: null,
  quality: null,
  notice: null,
};

/** Without it a business cannot send templates, which always begin a conversation. */
const MESSAGING = "RESTRICTED_BIZ_INITIATED_MESSAGING";

const list = z.array(z.unknown()).catch([]);
const digits = text.transform((value) => value.replace(/\D/g, "")).pipe(z.string().min(1));

const accountSchema = z.looseObject({
  event: keyword,
  phone_number: digits.optional().catch(undefined),
  ban_info: z.looseObject({ waba_ban_state: keyword, waba_ban_date: optionalText }).optional().catch(
    undefined,
  ),
  restriction_info: list,
  violation_info: z.looseObject({ violation_type: text.min(1) }).optional().catch(undefined),
});

const restrictionSchema = z.looseObject({
  restriction_type: keyword,
  expiration: z.union([unixTime, text]).optional().catch(undefined),
});

const limit = z.union([keyword, z.int().transform(tierOf)]).optional().catch(undefined);
const numberSchema = z.looseObject({
  display_phone_number: digits,
  event: keyword,
  max_daily_conversations_per_business: limit,
  current_limit: limit,
});
const capabilitySchema = z.looseObject({ max_daily_conversations_per_business: limit });

type AccountUpdate = z.infer<typeof accountSchema>;

/**
 * Reads a change of the fields `account_update`, `phone_number_quality_update` or `business_capability_update`; null
 * for another field, and for an event that does not concern sending. Source: WhatsApp Cloud API, webhooks.
 */
export function parseAccountUpdate(field: string | undefined, value: unknown): AccountChange | null {
  if (field === "account_update") return readAccount(accountSchema.safeParse(value).data);
  if (field === "phone_number_quality_update") return readNumber(value);
  if (field === "business_capability_update") return readCapability(value);
  return null;
}

function readAccount(update: AccountUpdate | undefined): AccountChange | null {
  if (update === undefined) return null;
  // Before the event's name: the platform has renamed the events around a ban, not what they carry.
  if (update.ban_info !== undefined) return readBan(update.ban_info);
  switch (update.event) {
    case "ACCOUNT_DELETED":
      return disabled("The business account was deleted on the platform");
    case "ACCOUNT_RESTRICTION":
      return readRestrictions(update.restriction_info);
    case "ACCOUNT_VIOLATION":
      return warning(
        `The platform reported a violation of its policies${named(update.violation_info?.violation_type)}`,
      );
    case "ACCOUNT_OFFBOARDED":
      return {
        ...restricted("The platform disconnected the number from its API"),
        number: update.phone_number ?? null,
      };
    case "ACCOUNT_RECONNECTED":
      return { ...NOTHING, status: "active", number: update.phone_number ?? null };
    default:
      return null;
  }
}

function readBan(
  { waba_ban_state: state, waba_ban_date: date }: NonNullable<AccountUpdate["ban_info"]>,
): AccountChange {
  if (state === "REINSTATE") return { ...NOTHING, status: "active" };
  if (state === "DISABLE") return disabled(`The platform disabled the business account${named(date)}`);
  if (state === "SCHEDULE_FOR_DISABLE") {
    return warning(`The platform is going to disable the business account${named(date)}`);
  }
  return warning(`The platform reported the ban state ${platformWords(state)}${named(date)}`);
}

function readRestrictions(items: unknown[]): AccountChange | null {
  const restrictions = items.flatMap((item) => restrictionSchema.safeParse(item).data ?? []);
  const ends = restrictions.filter((each) => each.restriction_type === MESSAGING).map(endOf);
  if (ends.length > 0) {
    const until = ends.includes(null) ? null : ends.sort().at(-1)!;
    const how = "The platform restricted the business account: it may not begin conversations";
    return restricted(until === null ? how : `${how} until ${until}`, until);
  }
  if (restrictions.length === 0) return null;
  const types = restrictions.map((each) => each.restriction_type).join(", ");
  return warning(`The platform restricted the business account${named(types)}`);
}

/** Unix seconds, or a date such as `2030-01-31T13:59:20+0000`. */
function endOf({ expiration }: z.infer<typeof restrictionSchema>): string | null {
  if (expiration === undefined) return null;
  const at = typeof expiration === "number" ? expiration * 1000 : Date.parse(expiration);
  return Number.isNaN(at) || Math.abs(at) > Date.UTC(9999, 0) ? null : new Date(at).toISOString();
}

function readNumber(value: unknown): AccountChange | null {
  const update = numberSchema.safeParse(value).data;
  if (update === undefined) return null;
  const messagingLimit = update.max_daily_conversations_per_business ?? update.current_limit ?? null;
  // UNFLAGGED says that the rating is no longer low, not what it is.
  const quality = { FLAGGED: "RED", UNFLAGGED: "UNKNOWN" }[update.event] ?? null;
  if (messagingLimit === null && quality === null) return null;
  return { ...NOTHING, number: update.display_phone_number, messagingLimit, quality };
}

function readCapability(value: unknown): AccountChange | null {
  const messagingLimit = capabilitySchema.safeParse(value).data?.max_daily_conversations_per_business;
  return messagingLimit === undefined ? null : { ...NOTHING, messagingLimit };
}

/** The platform's name for a limit that it gives as a number; -1 is none. */
function tierOf(limit: number): string {
  if (limit < 0) return "TIER_UNLIMITED";
  return `TIER_${limit >= 1000 && limit % 1000 === 0 ? `${limit / 1000}K` : limit}`;
}

function disabled(reason: string): AccountChange {
  return { ...NOTHING, status: "disabled", reason };
}

function restricted(reason: string, until: string | null = null): AccountChange {
  return { ...NOTHING, status: "restricted", reason, until };
}

function warning(notice: string): AccountChange {
  return { ...NOTHING, notice };
}

function named(words: string | null | undefined): string {
  return words ? ` (${platformWords(words)})` : "";
}
