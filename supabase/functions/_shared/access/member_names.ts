import type { Env } from "../env.ts";
import { type MemberName, namesOfUser } from "./account.ts";

/** Returns the names of a member; null for a user who is gone, and where SUPABASE_SECRET_KEY is not set. */
export async function readMemberName(env: Env, userId: string): Promise<MemberName> {
  const { SUPABASE_URL: supabaseUrl, SUPABASE_SECRET_KEY: supabaseSecretKey } = env;
  if (!supabaseUrl || !supabaseSecretKey) return { name: null, firstName: null };
  // Loaded with the first name: every function holds the cache of names, and few show one.
  const { authAdmin, findUserById } = await import("./auth_admin.ts");
  return namesOfUser(await findUserById(authAdmin({ supabaseUrl, supabaseSecretKey }), userId));
}
