import { AuthClient, type AuthError, type GoTrueAdminApi, isAuthError, type User } from "@supabase/auth-js";
import { AppError, badFormat } from "../errors.ts";
import { fetchInTime } from "../gateways/http_client.ts";
import { AUTH_TIMEOUT_MS, authUnavailable } from "./auth_server.ts";
import { accountEmail } from "./sign_in.ts";

export interface AuthServerSettings {
  supabaseUrl: string;
  supabaseSecretKey: string;
}

/** The auth server's interface for administrators. Its errors are thrown as they are: an `AuthError` of auth-js. */
export interface AuthAdmin {
  api: GoTrueAdminApi;
  /** Returns the users whose e-mail contains a text, a page at a time. auth-js has no parameter for that. */
  searchUsers(text: string, page: number): Promise<User[]>;
  /** Sends a user an e-mail with a link that logs them in. Returns the auth server's refusal. */
  sendLogInLink(email: string, redirectTo: string | undefined): Promise<AuthError | null>;
}

const NO_SESSION = { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false };

const USERS_PER_PAGE = 1000;

/** Opens the auth server as its administrator. */
export function authAdmin({ supabaseUrl, supabaseSecretKey }: AuthServerSettings): AuthAdmin {
  const open = (filter?: string) =>
    new AuthClient({
      url: `${supabaseUrl}/auth/v1`,
      headers: { apikey: supabaseSecretKey, Authorization: `Bearer ${supabaseSecretKey}` },
      ...NO_SESSION,
      fetch: filter === undefined ? fetchInTime(AUTH_TIMEOUT_MS) : fetchFiltered(filter),
    });
  return {
    api: open().admin,
    async searchUsers(text, page) {
      const { data, error } = await open(text).admin.listUsers({ page, perPage: USERS_PER_PAGE });
      if (error) throw error;
      return data.users;
    },
    async sendLogInLink(email, redirectTo) {
      const options = {
        shouldCreateUser: false,
        ...(redirectTo !== undefined && { emailRedirectTo: redirectTo }),
      };
      return (await open().signInWithOtp({ email, options })).error;
    },
  };
}

/** Returns a `fetch` that adds `filter` to the query. */
function fetchFiltered(filter: string): typeof fetch {
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    url.searchParams.set("filter", filter);
    return fetchInTime(AUTH_TIMEOUT_MS)(url, init);
  };
}

/** Finds the user with this id. */
export async function findUserById({ api }: AuthAdmin, id: string): Promise<User | undefined> {
  const { data, error } = await api.getUserById(id);
  if (error?.code === "user_not_found") return undefined;
  if (error) throw error;
  return data.user;
}

/** Finds the user with this e-mail. */
export async function findUserByEmail(admin: AuthAdmin, email: string): Promise<User | undefined> {
  const wanted = accountEmail(email);
  for (let page = 1;; page++) {
    const users = await admin.searchUsers(wanted, page);
    const found = users.find((user) => user.email === wanted);
    if (found || users.length === 0) return found;
  }
}

/** Returns the account of an e-mail, and creates one without a log-in where there is none. */
export async function findOrCreateUser(
  admin: AuthAdmin,
  { email, name }: { email: string; name?: string | undefined },
): Promise<User> {
  const { data, error } = await admin.api.createUser({
    email,
    password: randomPassword(),
    ...(name !== undefined && { user_metadata: { name } }),
  });
  if (!error) return data.user;
  const user = error.code === "email_exists" ? await findUserByEmail(admin, email) : undefined;
  if (user === undefined) throw error;
  return user;
}

/**
 * Ends password and sessions of an account whose address is not confirmed: others may have registered it with a password
 * of their own. The link of an e-mail is then the only way in. Comes before the person is offered anything.
 */
export async function closeUnconfirmed(admin: AuthAdmin, { id, email_confirmed_at }: User): Promise<void> {
  if (email_confirmed_at) return;
  const { error } = await admin.api.updateUserById(id, { password: randomPassword() });
  if (error) throw error;
}

/**
 * Sends a person who has an account an e-mail with a link that logs them in. Returns why the auth server sends this account
 * none, for the log: an owner who invites learns nothing of accounts.
 *
 * @param redirectTo where the link leads; by default where the auth server's own settings say
 */
export async function sendInvitation(
  admin: AuthAdmin,
  { email, email_confirmed_at }: User,
  redirectTo: string | undefined,
): Promise<AuthError | undefined> {
  const error = email_confirmed_at
    ? await admin.sendLogInLink(email!, redirectTo)
    : (await admin.api.inviteUserByEmail(email!, redirectTo === undefined ? {} : { redirectTo })).error;
  if (error === null) return;
  if (isAboutAccount(error)) return error;
  throw error;
}

/** The beginning of the refusal after an e-mail to the same person; its code is that of the limit for all e-mails. */
const PAUSE_OF_AN_ADDRESS = "For security purposes";

/** Whether only some accounts meet with a refusal: such as a pause, or log-in links that are switched off. */
function isAboutAccount({ status, code, message }: AuthError): boolean {
  if (code === "over_email_send_rate_limit") return message.startsWith(PAUSE_OF_AN_ADDRESS);
  return status === 400 || status === 422 || status === 429;
}

/** Returns a random password that is not kept, with a character of each kind that an auth server may require. */
function randomPassword(): string {
  return `aA1!${crypto.getRandomValues(new Uint8Array(32)).toBase64()}`;
}

/** Requests to the auth server that are under way at once. */
const MAX_REQUESTS = 10;

/** Returns users by id; undefined for those the auth server no longer has. */
export async function findUsers(admin: AuthAdmin, ids: string[]): Promise<Map<string, User | undefined>> {
  const users = new Map<string, User | undefined>();
  const queue = new Set(ids).values();
  const work = async () => {
    for (const id of queue) users.set(id, await findUserById(admin, id));
  };
  await Promise.all(Array.from({ length: MAX_REQUESTS }, work));
  return users;
}

/** Supabase Auth does not say when it sends e-mails again. */
const EMAIL_WAIT_S = 60;

/**
 * Waits for a request of an administrator to the auth server.
 *
 * Throws `rate_limit_exceeded` when it sends too many e-mails, `validation_failed` when it refuses the e-mail, and
 * `service_unavailable` (502) when it cannot be reached, cannot send e-mails, or refuses our key.
 */
export async function askAuthServer<Result>(request: Promise<Result>, email?: string): Promise<Result> {
  try {
    return await request;
  } catch (error) {
    if (!isAuthError(error)) throw error;
    if (error.status === 429) throw tooManyEmails(error);
    if (error.status === 400 || error.status === 422) {
      throw badFormat("email", email, "an e-mail address that the login service accepts");
    }
    throw authUnavailable(error);
  }
}

function tooManyEmails(cause: unknown): AppError {
  const message = `The login service receives too many requests; wait ${EMAIL_WAIT_S} s`;
  return new AppError("rate_limit_exceeded", message, { retryAfterS: EMAIL_WAIT_S, cause });
}
