import {
  getOverview,
  listCompanies,
  listFactors,
  logIn as requestSession,
  OutboundError,
  verifyFactor,
} from "../../sdk/typescript/src/operations.ts";
import { openClient, sessionOf } from "./connection.ts";
import { type Profile, readProfiles, requireProfileName, type Session, writeProfiles } from "./profiles.ts";
import type { Program } from "./program.ts";
import { readRequest } from "./read_request.ts";
import type { OwnOptions } from "./own_flags.ts";
import { UsageError } from "./usage_error.ts";

interface Options extends OwnOptions {
  email?: string;
  password?: string;
  key?: string;
  "company-id"?: string;
}

const FLAGS = {
  email: { value: "EMAIL" },
  password: { value: "-" },
  key: { value: "-" },
  "company-id": { value: "ID" },
};

/** Logs in, and keeps the session or the key as the profile that is used from then on. */
export async function logIn(program: Program, args: string[]): Promise<void> {
  const { env, terminal } = program;
  const own = readRequest({ flags: [] }, args, FLAGS).own as Options;
  const before = await readProfiles(env);
  const name = requireProfileName(own.profile ?? (env.OUTBOUND_PROFILE || before.current));
  const baseUrl = own["base-url"] ?? (env.OUTBOUND_BASE_URL || await terminal.ask("Address of the API"));
  const profile = own.key === undefined
    ? await userProfile(program, baseUrl, own)
    : await keyProfile(program, baseUrl, own.key);
  // Read again: another program may have written while this one asked.
  const { profiles } = await readProfiles(env);
  await writeProfiles(env, { current: name, profiles: { ...profiles, [name]: profile } });
  await terminal.print(`Profile '${name}': ${profile.email ?? "an access key"} at ${profile.base_url}`);
  if (profile.email !== undefined && profile.company_id === undefined) {
    terminal.note("You are a member of several companies: name one with --company-id");
  }
}

async function keyProfile({ terminal }: Program, baseUrl: string, given: string): Promise<Profile> {
  const accessKey = await readSecret(terminal, "--key", given);
  const client = openClient({ baseUrl, accessKey });
  await getOverview({ client, path: { company_id: "mine" } }).catch((error) => {
    // A key without this permission is a key.
    if (!(error instanceof OutboundError && error.status === 403)) throw error;
  });
  return { base_url: baseUrl, access_key: accessKey };
}

async function userProfile({ terminal }: Program, baseUrl: string, own: Options): Promise<Profile> {
  const email = own.email ?? await terminal.ask("E-mail");
  const password = own.password === undefined
    ? await terminal.ask("Password", { isHidden: true })
    : await readSecret(terminal, "--password", own.password);
  const client = openClient({ baseUrl });
  const body = { email, password };
  let session = sessionOf(await requestSession({ client, query: { grant_type: "password" }, body }));
  const ids = await companiesOf(baseUrl, session).catch(async (error) => {
    if (!(error instanceof OutboundError && error.code === "second_factor_required")) throw error;
    session = await enterCode(terminal, baseUrl, session);
    return await companiesOf(baseUrl, session);
  });
  const company_id = own["company-id"] ?? (ids.length === 1 ? ids[0] : undefined);
  return { base_url: baseUrl, session, email, ...(company_id !== undefined && { company_id }) };
}

async function companiesOf(baseUrl: string, { access_token: token }: Session): Promise<string[]> {
  const client = openClient({ baseUrl, token });
  return (await listCompanies({ client })).companies.map(({ company_id }) => company_id);
}

async function enterCode(
  { ask }: Program["terminal"],
  baseUrl: string,
  { access_token: token }: Session,
): Promise<Session> {
  const client = openClient({ baseUrl, token });
  const factor = (await listFactors({ client })).factors.find(({ is_verified }) => is_verified);
  if (factor === undefined) throw new UsageError("Set up a second factor in the console first");
  const code = await ask(`Code of ${factor.name}`);
  return sessionOf(await verifyFactor({ client, path: { factor_id: factor.factor_id }, body: { code } }));
}

/** Secrets on a command line are seen by others, and stay in the shell's history. */
async function readSecret({ readInput }: Program["terminal"], flag: string, given: string): Promise<string> {
  if (given !== "-") throw new UsageError(`${flag} is read from standard input: give ${flag} -`);
  const secret = new TextDecoder().decode(await readInput()).trim();
  if (secret === "") throw new UsageError(`${flag}: standard input is empty`);
  return secret;
}
