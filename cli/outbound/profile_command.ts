import { logOut } from "../../sdk/typescript/src/operations.ts";
import { renderTable } from "../terminal/render.ts";
import { openClient } from "./connection.ts";
import { findProfile, type Profile, type Profiles, readProfiles, writeProfiles } from "./profiles.ts";
import type { Program } from "./program.ts";
import { readRequest } from "./read_request.ts";
import { UsageError } from "./usage_error.ts";

/** Lists the profiles, chooses one, or removes one. */
export async function manageProfiles(program: Program, [verb, ...args]: string[]): Promise<void> {
  const profiles = await readProfiles(program.env);
  if (verb === "list") return await listProfiles(program, profiles, args);
  const [name, ...others] = args;
  if ((verb !== "use" && verb !== "remove") || name === undefined || others.length > 0) {
    throw new UsageError("Usage: outbound profile list|use NAME|remove NAME");
  }
  const profile = findProfile(profiles, name);
  if (verb === "use") await writeProfiles(program.env, { ...profiles, current: name });
  else await removeProfile(program, profiles, name, profile);
}

async function listProfiles(
  { terminal }: Program,
  { current, profiles }: Profiles,
  args: string[],
): Promise<void> {
  const { own } = readRequest({ flags: [] }, args);
  const rows = Object.entries(profiles).map(([name, { base_url, email, company_id }]) => ({
    name,
    is_current: name === current,
    base_url,
    user: email ?? null,
    company_id: company_id ?? null,
  }));
  if (own.json) return await terminal.printJson({ profiles: rows });
  await terminal.print(renderTable<typeof rows[number]>(
    [
      ["NAME", ({ name }) => name],
      ["CURRENT", ({ is_current }) => is_current],
      ["ADDRESS", ({ base_url }) => base_url],
      ["AS", ({ user }) => user ?? "access key"],
      ["COMPANY", ({ company_id }) => company_id],
    ],
    rows,
    "None yet: outbound login makes one",
  ));
}

async function removeProfile(
  { env }: Program,
  { current, profiles }: Profiles,
  name: string,
  { base_url: baseUrl, session }: Profile,
): Promise<void> {
  const { [name]: _, ...others } = profiles;
  await writeProfiles(env, { current: current === name ? "default" : current, profiles: others });
  if (session === undefined) return;
  const client = openClient({ baseUrl, token: session.access_token, retries: 0 });
  // A session that has ended, or whose service is gone, needs no log-out.
  await logOut({ client }).catch(() => {});
}
