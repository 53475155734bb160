import type { User } from "@supabase/supabase-js";
import { z } from "zod";
import type { Role } from "../../supabase/functions/_shared/access/roles.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import {
  deleteMembers,
  insertMembers,
  type Membership,
  NotAMemberError,
  readMemberships,
} from "../../supabase/functions/_shared/db/members.ts";
import { CommandError } from "../errors/command_error.ts";
import { requireCompanies, requireOneLine } from "../errors/refusals.ts";
import {
  authAdmin,
  type AuthServerSettings,
  findUserByEmail,
  findUserById,
  refusedByAuthServer,
} from "./auth_server.ts";

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
  const { data, error } = await admin.createUser({
    email,
    password,
    email_confirm: true,
    user_metadata: { name },
  });
  if (error && error.code !== "email_exists") throw refusedByAuthServer(error);
  const user = data.user ?? await findUserByEmail(admin, email);
  if (!user) throw new CommandError("platform_error", `The auth server has ${email} but does not list it`);
  await insertMembers(sql, user.id, { companyIds, role });
  return { userId: user.id, created: !error };
}

/** Requests to the auth server that are under way at once. */
const MAX_REQUESTS = 10;

/** One membership, with its user as the auth server knows them. */
export interface MemberRow extends Membership {
  /** Null when the auth server no longer has the user, or has no e-mail of them. */
  email: string | null;
  name: string | null;
  /** `gone`: the auth server no longer has the user. */
  state: "active" | "banned" | "gone";
  lastSignInAt: Date | null;
}

/**
 * Returns the users of one company, or of all, as the auth server knows them.
 *
 * @throws {CommandError} `not_found`, or `platform_error` from the auth server
 */
export async function listUsers(
  { sql, ...authServer }: { sql: Sql } & AuthServerSettings,
  { companyId }: { companyId?: string | undefined } = {},
): Promise<MemberRow[]> {
  if (companyId) await requireCompanies(sql, companyId);
  const members = await readMemberships(sql, { companyId });
  const users = await findUsers(authServer, [...new Set(members.map((member) => member.userId))]);
  return members.map((member) => ({ ...member, ...described(users.get(member.userId)) }));
}

async function findUsers(
  authServer: AuthServerSettings,
  ids: string[],
): Promise<Map<string, User | undefined>> {
  const admin = authAdmin(authServer);
  const users = new Map<string, User | undefined>();
  const queue = ids.values();
  const work = async () => {
    for (const id of queue) users.set(id, await findUserById(admin, id));
  };
  await Promise.all(Array.from({ length: MAX_REQUESTS }, work));
  return users;
}

function described(user: User | undefined): Omit<MemberRow, keyof Membership> {
  if (!user) return { email: null, name: null, state: "gone", lastSignInAt: null };
  const { email, user_metadata, banned_until, last_sign_in_at } = user;
  return {
    email: email || null,
    name: typeof user_metadata.name === "string" ? user_metadata.name : null,
    state: banned_until && new Date(banned_until) > new Date() ? "banned" : "active",
    lastSignInAt: last_sign_in_at ? new Date(last_sign_in_at) : null,
  };
}

/**
 * Makes a user of the auth server a member of companies; `added` are those they did not belong to.
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
  const found = isId(user) ? await findUserById(admin, user) : await findUserByEmail(admin, user);
  if (!found) {
    throw new CommandError(
      "not_found",
      `The auth server has no user ${user}: create one with "user create"`,
    );
  }
  return { userId: found.id, added: await insertMembers(sql, found.id, { companyIds, role }) };
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
  const userId = isId(user) ? user.toLowerCase() : (await findUserByEmail(authAdmin(authServer()), user))?.id;
  if (!userId) throw new CommandError("not_found", `The auth server has no user ${user}`);
  try {
    return { userId, removed: await deleteMembers(sql, userId, companyIds) };
  } catch (error) {
    if (!(error instanceof NotAMemberError)) throw error;
    throw new CommandError("not_found", `User ${user} does not belong to company ${error.companyId}`);
  }
}

/** Returns whether the text that names a user is an id, and not an e-mail. */
function isId(user: string): boolean {
  return z.guid().safeParse(user).success;
}
