import type { Assignee, WrittenBy } from "../data/sdk.ts";
import { session } from "../data/session/session.ts";
import { words } from "../i18n/words.ts";

/** Returns how a member is called; by the end of their id where the API has no name of them. */
export function memberName({ name, user_id }: Pick<Assignee, "name" | "user_id">): string {
  return name ?? words().writers.unnamed(user_id.slice(-6));
}

/** Returns who wrote a message: "You" only for who is logged in. */
export function authorName(author: WrittenBy | null): string {
  const { you, company, kinds } = words().writers;
  if (author === null) return company;
  const { kind, user_id, name } = author;
  if (kind !== "member" || user_id === null) return kinds[kind];
  return user_id === session.value?.userId ? you : memberName({ name, user_id });
}

/** Returns one or two letters that stand for a person. */
export function initialsOf(name: string): string {
  const letters = name.split(/[\s._-]+/).map((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? "");
  return letters.filter(Boolean).slice(0, 2).join("").toUpperCase();
}
