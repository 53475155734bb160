import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { UsageError } from "./usage_error.ts";

/** The tokens of a log-in. */
export interface Session {
  access_token: string;
  refresh_token: string;
  /** Unix seconds. */
  expires_at: number;
}

/** An address, and who calls it: a key, or a user with a session. */
export interface Profile {
  base_url: string;
  access_key?: string;
  session?: Session;
  email?: string;
  company_id?: string;
}

/** The file of profiles. */
export interface Profiles {
  current: string;
  profiles: Record<string, Profile>;
}

/** The variables of the environment that the program reads. */
export type Variables = Record<string, string | undefined>;

const NAME = /^(?!__)[\w.-]{1,64}$/;

/** Returns the file of profiles: below `XDG_CONFIG_HOME`, or else `~/.config`. */
export function profilesFile({ XDG_CONFIG_HOME }: Variables): string {
  return join(XDG_CONFIG_HOME || join(homedir(), ".config"), "outbound", "profiles.json");
}

/** Reads the profiles; without a file there are none. */
export async function readProfiles(env: Variables): Promise<Profiles> {
  const file = profilesFile(env);
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return { current: "default", profiles: {} };
    throw new UsageError(`The profiles in ${file} cannot be read: correct the file, or remove it`);
  }
}

/** Replaces the file of profiles as a whole. It holds secrets: only its owner may read it. */
export async function writeProfiles(env: Variables, profiles: Profiles): Promise<void> {
  const file = profilesFile(env);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  await chmod(fresh, 0o600);
  await rename(fresh, file);
}

/** Adds or replaces a profile. */
export async function saveProfile(env: Variables, name: string, profile: Profile): Promise<void> {
  const { current, profiles } = await readProfiles(env);
  await writeProfiles(env, { current, profiles: { ...profiles, [name]: profile } });
}

/**
 * Returns the profile of a name.
 *
 * @throws {UsageError} when there is none
 */
export function findProfile({ profiles }: Profiles, name: string): Profile {
  if (Object.hasOwn(profiles, name)) return profiles[name]!;
  throw new UsageError(`No profile '${name}': outbound profile list shows them, outbound login makes one`);
}

/** Refuses names that are no plain word. */
export function requireProfileName(name: string): string {
  if (NAME.test(name)) return name;
  throw new UsageError("The name of a profile has 1 to 64 letters, digits, dots, dashes and underscores");
}
