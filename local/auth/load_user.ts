import { z } from "zod";
import { AuthError } from "./auth_error.ts";
import type { AuthContext } from "./context.ts";
import { findUserById, type UserRow } from "./users.ts";

/** The user that an administrator's path names, or 404 `user_not_found`. */
export async function loadUser({ sql }: AuthContext, id: string): Promise<UserRow> {
  if (!z.uuid().safeParse(id).success) {
    throw new AuthError(404, "validation_failed", "user_id must be an UUID");
  }
  const user = await findUserById(sql, id);
  if (!user) throw new AuthError(404, "user_not_found", "User not found");
  return user;
}
