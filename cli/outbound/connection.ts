import {
  type Client,
  createClient,
  listApiKeys,
  type OutboundOptions,
  refreshSession,
} from "../../sdk/typescript/src/operations.ts";
import type { Operation } from "./operation.ts";
import type { OwnOptions } from "./own_flags.ts";
import {
  findProfile,
  type Profile,
  readProfiles,
  saveProfile,
  type Session,
  type Variables,
} from "./profiles.ts";
import { UsageError } from "./usage_error.ts";

/** The service that a command calls, and with what. */
export interface Connection {
  baseUrl: string;
  key: string | undefined;
  token: string | (() => Promise<string>) | undefined;
  companyId: string | undefined;
}

/** A token is replaced this long before it ends. */
const SPARE_S = 60;

/**
 * Finds the address and the credential: flags first, then the environment, then the profile. A profile that `--profile`
 * names is a flag, so nothing of the environment stands beside it. A profile's credential goes to the profile's own address
 * only.
 *
 * @throws {UsageError} when there is no address
 */
export async function connect(env: Variables, own: OwnOptions): Promise<Connection> {
  const { OUTBOUND_BASE_URL, OUTBOUND_API_KEY, OUTBOUND_TOKEN, OUTBOUND_COMPANY_ID } =
    own.profile === undefined ? env : {} as Variables;
  const profiles = await readProfiles(env);
  const chosen = own.profile ?? (env.OUTBOUND_PROFILE || undefined);
  const name = chosen ?? profiles.current;
  const profile = chosen === undefined ? profiles.profiles[name] : findProfile(profiles, name);
  const baseUrl = own["base-url"] ?? (OUTBOUND_BASE_URL || profile?.base_url);
  if (baseUrl === undefined) {
    throw new UsageError("No address: run outbound login, or set OUTBOUND_BASE_URL and OUTBOUND_API_KEY");
  }
  const isOwn = profile?.base_url === baseUrl && !OUTBOUND_API_KEY && !OUTBOUND_TOKEN;
  return {
    baseUrl,
    key: OUTBOUND_API_KEY || (isOwn ? profile.access_key : undefined),
    token: OUTBOUND_TOKEN || (isOwn && profile.session ? () => freshToken(env, name, profile) : undefined),
    companyId: OUTBOUND_COMPANY_ID || (isOwn ? profile.company_id : undefined),
  };
}

async function freshToken(env: Variables, name: string, profile: Profile): Promise<string> {
  const session = profile.session!;
  if (session.expires_at - SPARE_S > Date.now() / 1000) return session.access_token;
  const client = openClient({ baseUrl: profile.base_url });
  const { refresh_token } = session;
  profile.session = sessionOf(await refreshSession({ client, body: { refresh_token } }));
  await saveProfile(env, name, profile);
  return profile.session.access_token;
}

/** Keeps of a log-in what a profile needs. */
export function sessionOf(
  { access_token, refresh_token, expires_in, expires_at }: Omit<Session, "expires_at"> & {
    expires_in: number;
    expires_at?: number;
  },
): Session {
  return {
    access_token,
    refresh_token,
    expires_at: expires_at ?? Math.floor(Date.now() / 1000) + expires_in,
  };
}

/**
 * Makes a client.
 *
 * @throws {UsageError} when the address is none
 */
export function openClient(options: OutboundOptions): Client {
  try {
    return createClient(options).client;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** A client with the credential for an operation. */
export interface Called {
  client: Client;
  usesKey: boolean;
}

/**
 * Makes the client for an operation: with the key, if the operation takes one and there is one, or else with the token. For
 * an operation that takes keys only, a member's token reads the company's key.
 *
 * @param companyId the company that the command line names
 */
export async function clientFor(
  { baseUrl, key, token, companyId: usual }: Connection,
  { credentials }: Pick<Operation, "credentials">,
  companyId = usual,
): Promise<Called> {
  const takes = (kind: "key" | "token") => credentials.length === 0 || credentials.includes(kind);
  if (key !== undefined && (takes("key") || token === undefined)) return withKey(baseUrl, key);
  if (token !== undefined) {
    const client = openClient({ baseUrl, token });
    if (takes("token")) return { client, usesKey: false };
    return withKey(baseUrl, await keyOf(client, companyId));
  }
  if (credentials.length === 0) return { client: openClient({ baseUrl }), usesKey: false };
  throw new UsageError("Not logged in: run outbound login, or set OUTBOUND_API_KEY or OUTBOUND_TOKEN");
}

function withKey(baseUrl: string, accessKey: string): Called {
  return { client: openClient({ baseUrl, accessKey }), usesKey: true };
}

async function keyOf(client: Client, companyId: string | undefined): Promise<string> {
  const { validApiKeys } = await listApiKeys({ client });
  const [first, ...others] = validApiKeys.filter((each) =>
    each.is_active && (companyId === undefined || each.company_id === companyId)
  );
  if (first === undefined) {
    throw new UsageError("This needs a company's access key, and there is none to read");
  }
  if (others.length > 0) throw new UsageError(WHICH_COMPANY);
  return first.key;
}

/** Says how to name the company. */
export const WHICH_COMPANY =
  "Which company? Give --company-id, or set OUTBOUND_COMPANY_ID (outbound companies list shows them)";
