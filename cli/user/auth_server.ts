import { createClient, type SupabaseClient, type User } from "@supabase/supabase-js";
import { AUTH_TIMEOUT_MS, NO_SESSION } from "../../supabase/functions/_shared/access/auth_server.ts";
import { accountEmail } from "../../supabase/functions/_shared/access/sign_in.ts";
import { fetchInTime } from "../../supabase/functions/_shared/gateways/http_client.ts";
import { CommandError } from "../errors/command_error.ts";

const USERS_PER_PAGE = 1000;

export interface AuthServerSettings {
  supabaseUrl: string;
  supabaseSecretKey: string;
}

export type AuthAdmin = SupabaseClient["auth"]["admin"];

/** Opens the auth server as its administrator. */
export function authAdmin({ supabaseUrl, supabaseSecretKey }: AuthServerSettings): AuthAdmin {
  return createClient(supabaseUrl, supabaseSecretKey, {
    auth: NO_SESSION,
    global: { fetch: fetchInTime(AUTH_TIMEOUT_MS) },
  }).auth.admin;
}

/**
 * Finds the user with this id.
 *
 * @throws {CommandError} `platform_error`
 */
export async function findUserById(admin: AuthAdmin, id: string): Promise<User | undefined> {
  const { data, error } = await admin.getUserById(id);
  if (error?.code === "user_not_found") return undefined;
  if (error) throw refusedByAuthServer(error);
  return data.user;
}

/**
 * Finds the user with this e-mail. The auth server has no search by e-mail, so this reads its pages.
 *
 * @throws {CommandError} `platform_error`
 */
export async function findUserByEmail(admin: AuthAdmin, email: string): Promise<User | undefined> {
  for (let page = 1;; page++) {
    const { data, error } = await admin.listUsers({ page, perPage: USERS_PER_PAGE });
    if (error) throw refusedByAuthServer(error);
    const found = data.users.find((user) => user.email === accountEmail(email));
    if (found || data.users.length === 0) return found;
  }
}

/** Returns the refusal for an error of the auth server. */
export function refusedByAuthServer(error: { message: string; status?: number | undefined }): CommandError {
  const message = error.status
    ? `The auth server refused: ${error.message}`
    : "The auth server cannot be reached";
  return new CommandError("platform_error", message, { cause: error });
}
