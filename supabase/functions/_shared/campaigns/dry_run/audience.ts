import { z } from "@hono/zod-openapi";
import { utcSeconds } from "../../scheduling/due_time.ts";
import type { ChannelPlan } from "../channel.ts";
import { peopleOf } from "../send_preview.ts";

const count = z.number().int().min(0);

const languageSchema = z.object({
  language: z.string().nullable().openapi({ description: "Null where it is not known", example: "es" }),
  count,
}).openapi("LanguageCount");

const senderSchema = z.object({
  number: z.string().nullable(),
  count,
  limit: count.nullable().openapi({
    description:
      "With how many people the platform lets it begin conversations in 24 hours; null: not known, or any",
  }),
  quality: z.string().nullable().openapi({ description: "As the platform rates it", example: "GREEN" }),
}).openapi("SenderCount");

const zoneSchema = z.object({
  timezone: z.string(),
  count,
  scheduled_time: z.iso.datetime().openapi({ description: "When the first of them leaves" }),
}).openapi("ZoneCount");

/** The counts of those who would be sent to, most of them first, besides the countries. */
export const audienceLists = {
  languages: z.array(languageSchema).openapi({
    description: "What the recipients speak: by the contact's `language`, else as stored",
  }),
  senders: z.array(senderSchema),
  zones: z.array(zoneSchema).openapi({ description: "With `recipient_time`; empty without" }),
};

/** The counts of those who would be sent to, most of them first. */
export const audienceFields = {
  countries: z.array(
    z.object({ country: z.string().openapi({ description: "`ZZ` where the number shows none" }), count })
      .openapi("AudienceCountry"),
  ),
  ...audienceLists,
};

/** The counts that the dry run of a file adds up batch by batch. It counts the countries itself. */
export type AudienceLists = z.infer<z.ZodObject<typeof audienceLists>>;

/** A recipient who would be sent to, as far as it is counted. */
export interface AudienceMember {
  country: string | null;
  language: string | null;
  timezone: string | null;
  /** Null: at once, or never. */
  leavesAt: Date | null;
}

/** Counts those who would be sent to. */
export function countRecipients(
  members: AudienceMember[],
  { sender_number: number, sender_limit, sender_quality: quality }: ChannelPlan["sender"],
): z.infer<z.ZodObject<typeof audienceFields>> {
  const zones = members.flatMap(({ timezone, leavesAt }) =>
    timezone === null || leavesAt === null ? [] : { timezone, count: 1, scheduled_time: utcSeconds(leavesAt) }
  );
  const limit = peopleOf(sender_limit);
  return {
    countries: addUp(members.map(({ country }) => ({ country: country ?? "ZZ", count: 1 })), "country"),
    languages: addUp(members.map(({ language }) => ({ language, count: 1 })), "language"),
    senders: members.length === 0 ? [] : [{ number, count: members.length, limit, quality }],
    zones: addUp(zones, "timezone"),
  };
}

/** Adds the counts of further recipients to those of others. */
export function addAudience(some: AudienceLists, others: AudienceLists): AudienceLists {
  return {
    languages: addUp([...some.languages, ...others.languages], "language"),
    senders: addUp([...some.senders, ...others.senders], "number"),
    zones: addUp([...some.zones, ...others.zones], "timezone"),
  };
}

/** Adds up counts with the same name. Their first time counts. */
function addUp<
  Name extends string,
  Count extends { count: number; scheduled_time?: string } & Record<Name, unknown>,
>(
  counts: Count[],
  name: Name,
): Count[] {
  const sums = new Map<unknown, Count>();
  for (const each of counts) {
    const known = sums.get(each[name]);
    if (known === undefined) sums.set(each[name], { ...each });
    else {
      known.count += each.count;
      if (each.scheduled_time! < known.scheduled_time!) known.scheduled_time = each.scheduled_time!;
    }
  }
  return [...sums.values()].sort((a, b) => b.count - a.count);
}
