import { isAuthError } from "@supabase/auth-js";
import { z } from "zod";
import { type Account, describeAccount } from "../../supabase/functions/_shared/access/account.ts";
import {
  authAdmin,
  type AuthServerSettings,
  findUserByEmail,
  findUserById,
  findUsers,
} from "../../supabase/functions/_shared/access/auth_admin.ts";
import type { Role } from "../../supabase/functions/_shared/access/roles.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import {
  deleteMembers,
  insertMembers,
  type Membership,
  NotAMemberError,
  readMemberships,
  updateRoles,
} from "../../supabase/functions/_shared/db/access/members.ts";
import { CommandError } from "../errors/command_error.ts";
import { requireCompanies, requireOneLine } from "../errors/refusals.ts";

/** bcrypt hashes no more; the auth server fails on a longer one. */
const MAX_PASSWORD_BYTES = 72;

export interface NewUser {
  email: string;
  password: string;
  name: string;
  companyIds: string[];
  /** @default owner */
  role?: Role;
}

/**
 * Creates a user at the auth server, with a confirmed e-mail, as a member of every company named. An existing user with
 * this e-mail keeps password and name and only gains the memberships; `created` is false then.
 *
 * @throws {CommandError} before anything is created, `bad_value` for a password that is too long and `not_found` for an
 * unknown company; `platform_error` with the auth server's own reason
 */
export async function createUser(
  { sql, ...authServer }: { sql: Sql } & AuthServerSettings,
  { email, password, name, companyIds, role = "owner" }: NewUser,
): Promise<{ userId: string; created: boolean }> {
  requireOneLine({ name, "e-mail": email });
  if (new TextEncoder().encode(password).length > MAX_PASSWORD_BYTES) {
    throw new CommandError("bad_value", `The password is longer than ${MAX_PASSWORD_BYTES} bytes`);
  }
  await requireCompanies(sql, ...companyIds);
  const admin = authAdmin(authServer);
  const { data, error } = await admin.api.createUser({
    email,
    password,
    email_confirm: true,
    user_metadata: { name },
  });
  if (error && error.code !== "email_exists") throw refusedByAuthServer(error);
  const user = data.user ?? await askAuthServer(findUserByEmail(admin, email));
  if (!user) throw new CommandError("platform_error", `The auth server has ${email} but does not list it`);
  await insertMembers(sql, user.id, { companyIds, role }, CLI);
  return { userId: user.id, created: !error };
}

/** One membership, with its user as the auth server knows them. */
export type MemberRow = Membership & Omit<Account, "state"> & { state: Account["state"] | "pending" };

/**
 * Returns the users of one company, or of all, as the auth server knows them; `pending` are those who were invited and have
 * not accepted.
 *
 * @throws {CommandError} `not_found`, or `platform_error` from the auth server
 */
export async function listUsers(
  { sql, ...authServer }: { sql: Sql } & AuthServerSettings,
  { companyId }: { companyId?: string | undefined } = {},
): Promise<MemberRow[]> {
  if (companyId) await requireCompanies(sql, companyId);
  const members = await readMemberships(sql, { companyId });
  const users = await askAuthServer(
    findUsers(authAdmin(authServer), members.map(({ user_id }) => user_id)),
  );
  return members.map(({ is_pending, ...member }) => {
    const account = describeAccount(users.get(member.user_id));
    return { ...member, ...account, state: is_pending ? "pending" : account.state };
  });
}

/**
 * Makes a user of the auth server a member of companies, also where they were invited and have not accepted; `added` are those
 * they did not belong to.
 *
 * @param user an id or an e-mail
 * @throws {CommandError} `not_found` for an unknown company or user, `platform_error` from the auth server
 */
export async function addUser(
  { sql, ...authServer }: { sql: Sql } & AuthServerSettings,
  { user, companyIds, role = "owner" }: { user: string; companyIds: string[]; role?: Role },
): Promise<{ userId: string; added: string[] }> {
  await requireCompanies(sql, ...companyIds);
  const admin = authAdmin(authServer);
  const found = await askAuthServer(
    isId(user) ? findUserById(admin, user) : findUserByEmail(admin, user),
  );
  if (!found) {
    throw new CommandError(
      "not_found",
      `The auth server has no user ${user}: create one with "user create"`,
    );
  }
  return { userId: found.id, added: await insertMembers(sql, found.id, { companyIds, role }, CLI) };
}

/**
 * Removes a user from all of the companies, or from none. The user stays at the auth server. An id needs no auth server,
 * so that a user who is no longer there can be removed.
 *
 * @param user an id or an e-mail
 * @throws {CommandError} `not_found` for an unknown e-mail, or a company the user does not belong to; `platform_error`
 * from the auth server
 */
export async function removeUser(
  { sql, authServer }: { sql: Sql; authServer: () => AuthServerSettings },
  { user, companyIds }: { user: string; companyIds: string[] },
): Promise<{ userId: string; removed: string[] }> {
  const userId = await idOf(user, authServer);
  const removal = deleteMembers(sql, userId, { companyIds, mayLeaveNone: true }, CLI);
  return { userId, removed: await refuseStrangers(removal, user) };
}

/**
 * Changes a user's role in all of the companies, or in none.
 *
 * @param user an id or an e-mail
 * @throws {CommandError} `not_found` for an unknown e-mail, or a company the user does not belong to; `platform_error`
 * from the auth server
 */
export async function setUserRole(
  { sql, authServer }: { sql: Sql; authServer: () => AuthServerSettings },
  { user, companyIds, role }: { user: string; companyIds: string[]; role: Role },
): Promise<{ userId: string; role: Role }> {
  const userId = await idOf(user, authServer);
  await refuseStrangers(updateRoles(sql, userId, { companyIds, role, mayLeaveNone: true }, CLI), user);
  return { userId, role };
}

/** Only an e-mail needs the auth server. */
async function idOf(user: string, authServer: () => AuthServerSettings): Promise<string> {
  if (isId(user)) return user.toLowerCase();
  const found = await askAuthServer(findUserByEmail(authAdmin(authServer()), user));
  if (!found) throw new CommandError("not_found", `The auth server has no user ${user}`);
  return found.id;
}

async function refuseStrangers<Result>(change: Promise<Result>, user: string): Promise<Result> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof NotAMemberError)) throw error;
    throw new CommandError("not_found", `User ${user} does not belong to company ${error.companyId}`);
  }
}

async function askAuthServer<Result>(request: Promise<Result>): Promise<Result> {
  try {
    return await request;
  } catch (error) {
    throw isAuthError(error) ? refusedByAuthServer(error) : error;
  }
}

function refusedByAuthServer(error: { message: string; status?: number | undefined }): CommandError {
  const message = error.status
    ? `The auth server refused: ${error.message}`
    : "The auth server cannot be reached";
  return new CommandError("platform_error", message, { cause: error });
}

/** Returns whether the text that names a user is an id, and not an e-mail. */
function isId(user: string): boolean {
  return z.guid().safeParse(user).success;
}
