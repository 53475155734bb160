import type { ContactRow } from "../db/people/contacts.ts";
import type { Attribute } from "../db/people/attributes.ts";
import { utcSeconds } from "../scheduling/due_time.ts";
import { csvLine } from "../values/csv_line.ts";
import { ADDRESS_KINDS } from "./person.ts";

type Cell = string | number | null;

/** The columns that every company's file has, in their order. Those that an import takes have the names of its fields. */
const COLUMNS: Record<string, (contact: ContactRow) => Cell> = {
  name: ({ name }) => name,
  ...Object.fromEntries(
    ADDRESS_KINDS.map((kind) => [kind, (contact: ContactRow) => addressesOf(contact, kind)[0] ?? null]),
  ),
  other_addresses: (contact) =>
    ADDRESS_KINDS.flatMap((kind) => addressesOf(contact, kind).slice(1)).join(",") || null,
  language: ({ language }) => language,
  timezone: ({ timezone }) => timezone,
  country: ({ country }) => country,
  tags: ({ tags }) => tags.join(",") || null,
  opted_out: ({ opted_out }) => opted_out,
  consent: ({ consent }) => consent,
  source: ({ source }) => source,
  first_seen_at: ({ first_seen_at }) => utcSeconds(first_seen_at),
  last_seen_at: ({ last_seen_at }) => utcSeconds(last_seen_at),
  contact_id: ({ contact_id }) => contact_id,
};

/** Yields a file of contacts as CSV, page by page, with a column for each of the attributes. Times are UTC. */
export async function* contactsFile(
  attributes: Attribute[],
  pages: AsyncIterable<ContactRow[]>,
): AsyncGenerator<string> {
  const names = attributes.map(({ name }) => name);
  yield csvLine([...Object.keys(COLUMNS), ...names.map((name) => `attribute.${name}`)]);
  for await (const page of pages) {
    yield page.map((contact) =>
      csvLine([
        ...Object.values(COLUMNS).map((cellOf) => cellOf(contact)),
        ...names.map((name) => valueOf(contact.attributes[name])),
      ])
    ).join("");
  }
}

function addressesOf({ addresses }: ContactRow, kind: typeof ADDRESS_KINDS[number]): string[] {
  return addresses.filter((each) => each.kind === kind).map(({ address }) => address);
}

function valueOf(value: string | number | boolean | undefined): Cell {
  return typeof value === "boolean" ? String(value) : value ?? null;
}
