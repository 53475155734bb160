import { z } from "@hono/zod-openapi";
import { matchOfList } from "../../audiences/audience.ts";
import { readList } from "../../db/contacts/lists.ts";
import type { AudienceChannel, Match } from "../../db/contacts/match_sql.ts";
import { type ContactsFilter, listContacts } from "../../db/people/contact_list.ts";
import { PEOPLE_SOURCES } from "../../db/people/contacts.ts";
import { ADDRESS_KINDS, tagSchema } from "../../people/person.ts";
import { readSearchText } from "../../people/search_text.ts";
import type { Services } from "../../services.ts";
import { type Filters, listFields, type Page } from "../app/list_page.ts";
import { showRow } from "../app/show_row.ts";

/** A contact as the API returns it. */
export const contactSchema = z.object({
  contact_id: z.guid(),
  name: z.string().nullable(),
  language: z.string().nullable(),
  timezone: z.string().nullable().openapi({ description: "Null: by the number" }),
  country: z.string().nullable().openapi({ description: "Null: by the number" }),
  attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  tags: z.array(z.string()),
  addresses: z.array(
    z.object({ kind: z.enum(ADDRESS_KINDS), address: z.string() }).openapi("ContactAddress"),
  ),
  list_ids: z.array(z.guid()).openapi({ description: "The lists with members that it belongs to" }),
  opted_out: z.enum(["marketing", "all"]).nullable().openapi({
    description: "Which messages the person does not want, by any address; null: wants all",
  }),
  consent: z.enum(["granted", "withdrawn"]).nullable().openapi({
    description: "The latest consent under any address; null: none is recorded",
  }),
  source: z.enum(PEOPLE_SOURCES).openapi({ description: "Where it came from first" }),
  first_seen_at: z.iso.datetime(),
  last_seen_at: z.iso.datetime().openapi({
    description: "When the person last wrote, or was last named by a request, a file or a website",
  }),
  updated_at: z.iso.datetime(),
}).openapi("StoredContact");

/** Of a contact, for the API document. */
export const CONTACT_EXAMPLE: z.input<typeof contactSchema> = {
  contact_id: "0192f8b1-1111-4222-8333-444455556666",
  name: "Ana Ruiz",
  language: "es",
  timezone: null,
  country: null,
  attributes: { city: "Madrid", points: 12 },
  tags: ["vip"],
  addresses: [{ kind: "email", address: "ana@acme.test" }, { kind: "number", address: "34600111222" }],
  list_ids: ["0192f8d0-2222-4222-8333-444455556666"],
  opted_out: null,
  consent: "granted",
  source: "import",
  first_seen_at: "2026-12-01T09:00:00Z",
  last_seen_at: "2026-12-02T09:00:00Z",
  updated_at: "2026-12-01T09:00:00Z",
};

export const MAY_BE_SHORT = "A page may be short, or empty, and have a `next`";

/** The filters of the list of contacts. */
export const contactFilters = {
  search: z.string().max(100, "at most 100 characters").optional().openapi({
    description:
      "A part of a name or an e-mail address, or of a number in any spelling; at least three characters",
    example: "ana ruiz",
  }),
  tag: tagSchema.optional().openapi({ description: "Only contacts with this tag" }),
  list_id: z.guid({ error: "the list_id of a list" }).optional().openapi({
    description: `Only contacts of this list. ${MAY_BE_SHORT}`,
  }),
  opted_out: z.enum(["true", "false"], { error: "true or false" }).optional().openapi({
    description: "`true`: only people who want no marketing on some channel; `false`: only the others. " +
      MAY_BE_SHORT,
  }),
  consent: z.enum(["granted", "withdrawn"], { error: "granted or withdrawn" }).optional().openapi({
    description: `Only people whose latest consent to marketing is this. ${MAY_BE_SHORT}`,
  }),
};

/** A page of contacts. */
export const contactsSchema = z.object({ contacts: z.array(contactSchema), ...listFields })
  .openapi("StoredContacts");

/**
 * Returns a page of a company's contacts, newest first. Throws `validation_failed` for a search that is too short, and for
 * a list whose condition names what is gone.
 */
export async function showContacts(
  services: Pick<Services, "sql" | "now">,
  companyId: string,
  { after, limit, ...filters }: Page<typeof contactFilters>,
): Promise<z.input<typeof contactsSchema>> {
  const query = await readContactFilters(services, companyId, filters);
  const { contacts, next } = await listContacts(services.sql, { ...query, after, limit });
  return { contacts: contacts.map((row) => showRow(contactSchema, row)), next };
}

/** Returns which contacts the filters leave. Throws as {@link showContacts}. */
export async function readContactFilters(
  { sql, now }: Pick<Services, "sql" | "now">,
  companyId: string,
  { search, tag, list_id: listId, opted_out, consent }: Filters<typeof contactFilters>,
): Promise<ContactsFilter> {
  const list = listId === undefined ? undefined : await readList(sql, { companyId, listId });
  const hasCondition = list !== undefined && list.condition !== null;
  const matches: Match[] = [
    ...hasCondition ? [await matchOfList(sql, { companyId, listId: list.list_id, now: now() })] : [],
    ...opted_out === undefined ? [] : [optedOut(opted_out === "true")],
    ...consent === undefined
      ? []
      : [onAnyChannel((channel) => ({ consent, channel, category: "marketing" }))],
  ];
  return {
    ...{ companyId, tag },
    search: search === undefined ? undefined : readSearchText(search),
    listId: hasCondition ? undefined : listId,
    match: matches.length === 0 ? undefined : { all: matches },
  };
}

function optedOut(isOut: boolean): Match {
  const match = onAnyChannel((channel) => ({ opted_out: channel, category: "marketing" }));
  return isOut ? match : { not: match };
}

function onAnyChannel(matchOf: (channel: AudienceChannel) => Match): Match {
  return { any: [matchOf("whatsapp"), matchOf("voice")] };
}
