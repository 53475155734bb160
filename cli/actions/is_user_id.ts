import { z } from "zod";

/** Whether the text that names a user is an id, and not an e-mail. */
export function isUserId(user: string): boolean {
  return z.guid().safeParse(user).success;
}
