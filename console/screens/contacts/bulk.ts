import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import {
  addContactListMembers,
  removeContactListMembers,
  type StoredContact,
  tagContacts,
} from "../../data/sdk.ts";

/** The API takes no more at once. */
const MAX_IDS = 1000;

/** Adds or removes tags of those contacts for which that changes something. Returns what undoes it. */
export async function changeTags(
  rows: StoredContact[],
  tags: string[],
  change: "add" | "remove",
): Promise<() => Promise<void>> {
  const touched = tags.map((tag) => ({
    tag,
    ids: rows.filter((row) => row.tags.includes(tag) === (change === "remove")).map(({ contact_id }) =>
      contact_id
    ),
  }));
  for (const { tag, ids } of touched) await tagAll(ids, tag, change);
  const back = change === "add" ? "remove" : "add";
  return async () => {
    for (const { tag, ids } of touched) await tagAll(ids, tag, back);
  };
}

async function tagAll(ids: string[], tag: string, change: "add" | "remove"): Promise<void> {
  const path = { company_id: companyId() };
  for (const contact_ids of parts(ids)) {
    await ask(tagContacts({ client: api(), path, body: { contact_ids, [change]: [tag] } }));
  }
}

/** Adds people to a list, or takes them off: those for whom that changes something. Returns what undoes it. */
export async function changeMembership(
  rows: StoredContact[],
  listId: string,
  change: "add" | "remove",
): Promise<() => Promise<void>> {
  const ids = rows.filter(({ list_ids }) => list_ids.includes(listId) === (change === "remove"))
    .map(({ contact_id }) => contact_id);
  await memberAll(ids, listId, change);
  return () => memberAll(ids, listId, change === "add" ? "remove" : "add");
}

async function memberAll(ids: string[], listId: string, change: "add" | "remove"): Promise<void> {
  const path = { company_id: companyId(), list_id: listId };
  const operation = change === "add" ? addContactListMembers : removeContactListMembers;
  for (const contact_ids of parts(ids)) {
    await ask(operation({ client: api(), path, body: { contact_ids } }));
  }
}

function parts(ids: string[]): string[][] {
  return Array.from(
    { length: Math.ceil(ids.length / MAX_IDS) },
    (_, at) => ids.slice(at * MAX_IDS, (at + 1) * MAX_IDS),
  );
}
