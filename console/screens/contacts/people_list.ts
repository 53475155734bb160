import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { given } from "../../data/given.ts";
import type { List } from "../../data/list.ts";
import { useRows } from "../../data/rows.ts";
import { searchable } from "../../data/contact_text.ts";
import { saveFile } from "../../data/save_file.ts";
import { exportContacts, type ExportContactsData, listContacts, type StoredContact } from "../../data/sdk.ts";

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
  return useRows(listContacts, "contacts", ({ contact_id }) => contact_id, { query: queryOf(filters) });
}
