import { z } from "@hono/zod-openapi";
import { readPersonFacts } from "../../db/contacts/contact_export.ts";
import { readContacts } from "../../db/people/contacts.ts";
import type { Sql } from "../../db/driver/connect.ts";
import type { Address } from "../../values/address.ts";
import { phoneCountryOf } from "../../rows/phone_cell.ts";
import { orNull } from "../../values/or_null.ts";
import { showRow } from "../app/show_row.ts";
import { CONTACT_EXAMPLE, contactSchema } from "./contacts.ts";

const rows = z.array(z.record(z.string(), z.unknown()));

/** Everything that is known about a person. */
export const exportSchema = z.object({
  contact: orNull(contactSchema).openapi({
    description: "As the company knows the person; null: it does not",
  }),
  addresses: z.array(z.string()).openapi({
    description: "The person's number and user ids, as far as known",
  }),
  user_ids: rows,
  suppressions: rows,
  consents: rows,
  marketing_cooldowns: rows.openapi({
    description: "Until when the platform shields the person from marketing",
  }),
  marketing_sends: rows.openapi({ description: "Marketing messages that count for frequency caps" }),
  handoffs: rows.openapi({ description: "What the person left for voice calls with members on the website" }),
  notifications: rows.openapi({
    description: "What was sent, with its times, and what was said in calls; from the archive too",
  }),
  messages: rows.openapi({ description: "What the person wrote, and what was replied" }),
  chats: rows.openapi({ description: "The person's chats on the website" }),
  chat_messages: rows.openapi({ description: "What was written in these" }),
  notes: rows.openapi({ description: "What members noted about the conversations with the person" }),
  unreadable_archive_files: z.array(z.guid()).openapi({
    description: "Files of the archive that could not be read: what they have of the person is missing here",
  }),
}).openapi("ContactExport");

/** Of a person, for the API document. */
export const EXPORT_EXAMPLE: z.input<typeof exportSchema> = {
  contact: CONTACT_EXAMPLE,
  addresses: ["34600111222"],
  user_ids: [],
  suppressions: [],
  consents: [],
  marketing_cooldowns: [],
  marketing_sends: [],
  handoffs: [],
  notifications: [{ notification_id: "0192f8ad-7283-7495-80a1-b2c3d4e5f607", status: "read" }],
  messages: [{ direction: "in", text: "Thank you" }],
  chats: [],
  chat_messages: [],
  notes: [],
  unreadable_archive_files: [],
};

/** Everything that is known about a person, but what was sent and written. */
export const personFactsSchema = exportSchema.omit({
  marketing_sends: true,
  handoffs: true,
  notifications: true,
  messages: true,
  chats: true,
  chat_messages: true,
  notes: true,
  unreadable_archive_files: true,
}).extend({
  read_number: orNull(z.object({ number: z.string(), country: z.string().nullable() })).openapi({
    description: "The number that was asked for, and its country; null: a user id was",
  }),
}).openapi("Person");

/** Returns what is known about a person, under every known address. */
export async function findPerson(
  sql: Sql,
  companyId: string,
  person: Address,
): Promise<z.input<typeof personFactsSchema>> {
  const { marketing_sends: _, handoffs: __, contacts, ...facts } = await readPersonFacts(sql, companyId, {
    ...person,
    contact_id: null,
  });
  const [contact = null] = await readContacts(sql, companyId, contacts.slice(0, 1));
  const { number } = person;
  return {
    contact: contact && showRow(contactSchema, contact),
    ...facts,
    read_number: number === null ? null : { number, country: phoneCountryOf(number) },
  } as z.input<typeof personFactsSchema>;
}

const count = z.number().int().min(0);

/** How much was erased, by kind. */
export const erasedSchema = z.object({
  notifications: count,
  skipped: count.openapi({ description: "Notifications that were waiting, and will not be sent" }),
  failed: count.openapi({ description: "Notifications of unknown outcome, which end here" }),
  calls: count,
  messages: count,
  suppressions: count,
  consents: count,
  user_ids: count,
  events: count.openapi({ description: "Events for your webhook that named the person" }),
  contacts: count.openapi({ description: "With their addresses, tags, attributes and places in lists" }),
  archive_files: count.openapi({
    description:
      "Files of the archive: within minutes, each of them that holds the person is written without them",
  }),
}).openapi("ErasedCounts");

/** Of an erasure, for the API document. */
export const ERASED_EXAMPLE: z.input<typeof erasedSchema> = {
  notifications: 3,
  skipped: 1,
  failed: 0,
  calls: 1,
  messages: 2,
  suppressions: 1,
  consents: 1,
  user_ids: 1,
  events: 4,
  contacts: 1,
  archive_files: 0,
};
