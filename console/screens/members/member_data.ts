import type { List } from "../../data/list.ts";
import { useRows } from "../../data/rows.ts";
import { listMembers, type Member } from "../../data/sdk.ts";

/** Reads the members, newest first. */
export function useMembers(): List<Member> {
  return useRows(listMembers, "members", ({ user_id }) => user_id);
}

/** Returns what a member is called. */
export function memberName({ email, user_id }: Member): string {
  return email ?? user_id;
}
