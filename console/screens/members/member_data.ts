import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { type List, useList } from "../../data/list.ts";
import { listMembers, type Member } from "../../data/sdk.ts";

const PAGE = 100;

/** Reads the members, newest first. */
export function useMembers(): List<Member> {
  const path = { company_id: companyId() };
  return useList<Member>({
    key: `members ${path.company_id}`,
    idOf: ({ user_id }) => user_id,
    async read(after, signal) {
      const query = { limit: PAGE, ...(after && { after }) };
      const page = await ask(listMembers({ client: api(), path, query, signal }));
      return { rows: page.members, next: page.next };
    },
  });
}

/** Returns what a member is called. */
export function memberName({ email, user_id }: Member): string {
  return email ?? user_id;
}
