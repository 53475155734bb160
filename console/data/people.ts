import { api, ask } from "./client.ts";
import { companyId } from "./company.ts";
import { type Query, useQuery } from "./query.ts";
import { Problem } from "./problem.ts";
import {
  type ContactAttribute,
  type ContactList,
  findPerson,
  listContactAttributes,
  listContactLists,
  listContactTags,
  type Person,
} from "./sdk.ts";
import { rowProblem } from "../i18n/codes.ts";

/**
 * Returns the person with a number in any spelling, and how it was read.
 *
 * @throws {Problem} with words for the member, for a text that is no number
 */
export async function readPhone(phone: string, signal?: AbortSignal): Promise<Person> {
  const path = { company_id: companyId() };
  try {
    return await ask(findPerson({ client: api(), path, query: { phone }, ...(signal && { signal }) }));
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "validation_failed") throw error;
    const { code = "", reason = "" } = (error.details ?? {}) as { code?: string; reason?: string };
    throw new Problem("validation_failed", rowProblem(code, reason), { details: { field: "number" } });
  }
}

/** Reads the attributes of the company's contacts, with their types. */
export function useAttributes(): Query<ContactAttribute[]> {
  const path = { company_id: companyId() };
  return useQuery(
    `attributes ${path.company_id}`,
    async (signal) => (await ask(listContactAttributes({ client: api(), path, signal }))).attributes,
  );
}

/** Reads the tags of the company's contacts: as many as suggestions can show. */
export function useTags(): string[] {
  const path = { company_id: companyId() };
  const tags = useQuery(
    `tags ${path.company_id}`,
    async (signal) =>
      (await ask(listContactTags({ client: api(), path, query: { limit: 1000 }, signal }))).tags,
  );
  return tags.data?.map(({ tag }) => tag) ?? [];
}

/** Reads the company's lists: as many as a choice shows. */
export function useLists(): Query<ContactList[]> {
  const path = { company_id: companyId() };
  return useQuery(
    `lists ${path.company_id}`,
    async (signal) =>
      (await ask(listContactLists({ client: api(), path, query: { limit: 1000 }, signal }))).lists,
  );
}
