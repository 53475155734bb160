import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { given } from "../../data/given.ts";
import { type List, useList } from "../../data/list.ts";
import { searchable } from "../../data/contact_text.ts";
import { saveFile } from "../../data/save_file.ts";
import {
  exportContacts,
  type ExportContactsData,
  listContacts,
  type ListContactsData,
  type StoredContact,
} from "../../data/sdk.ts";

const PAGE = 100;

/** The filters of the list of people, as they are in the address. */
export type PeopleFilters = Partial<Record<"search" | "tag" | "list_id" | "state", string | undefined>>;

/** The filters of the API that each state stands for. */
const STATES: Record<string, { opted_out?: string; consent?: string }> = {
  opted_out: { opted_out: "true" },
  reachable: { opted_out: "false" },
  granted: { consent: "granted" },
  withdrawn: { consent: "withdrawn" },
};

/** Names the list with these filters. */
export function keyOfPeople({ search, tag, list_id, state }: PeopleFilters): string {
  return `people ${companyId()} ${searchable(search)} ${tag} ${list_id} ${state}`;
}

/** The filters as the API takes them. */
function queryOf({ search, tag, list_id, state }: PeopleFilters) {
  return { search: searchable(search), tag, list_id, ...STATES[state ?? ""] };
}

/** Saves all people that the filters leave as a file. */
export async function downloadPeople(filters: PeopleFilters): Promise<void> {
  const path = { company_id: companyId() };
  const query = given<ExportContactsData["query"]>(queryOf(filters));
  const file = await ask(exportContacts({ client: api(), path, query, parseAs: "blob" })) as unknown;
  saveFile("contacts.csv", file as Blob);
}

/** Reads the people of the company, the newest first. */
export function usePeople(filters: PeopleFilters): List<StoredContact> {
  const path = { company_id: companyId() };
  return useList<StoredContact>({
    key: keyOfPeople(filters),
    idOf: ({ contact_id }) => contact_id,
    async read(after, signal) {
      const query = given<ListContactsData["query"]>({ ...queryOf(filters), after, limit: PAGE });
      const page = await ask(listContacts({ client: api(), path, query, signal }));
      return { rows: page.contacts, next: page.next };
    },
  });
}
