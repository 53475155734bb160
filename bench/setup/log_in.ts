import type postgres from "postgres";
import { insertMember } from "../../tests/setup/fixtures/fixtures.ts";
import { type BenchProcess, denoArgs, startProcess } from "./processes.ts";
import type { StandIns } from "./stand_ins.ts";
import type { Tenant } from "./tenants.ts";

/** The simulated platform and the log-in, in a process of their own. */
export interface RunningStandIns extends StandIns, BenchProcess {
  /** The settings with which a service uses this log-in. */
  settings: Record<string, string>;
}

/** Starts what surrounds a service; the tables of the log-in are in the service's database. */
export async function startStandIns(databaseUrl: string): Promise<RunningStandIns> {
  const process = await startProcess([...denoArgs("bench/setup/stand_ins.ts"), databaseUrl]);
  const standIns: StandIns = JSON.parse(process.ready);
  const settings = {
    SUPABASE_URL: standIns.authUrl,
    SUPABASE_PUBLISHABLE_KEY: standIns.publishableKey,
  };
  return { ...process, ...standIns, settings };
}

/** Makes users, adds each to every company, and logs them in through the service. Returns their access tokens. */
export async function logIn(
  sql: postgres.Sql,
  baseUrl: string,
  { authUrl, secretKey }: StandIns,
  { users, tenants }: { users: number; tenants: Tenant[] },
): Promise<string[]> {
  const tokens: string[] = [];
  for (let index = 0; index < users; index++) {
    const user = { email: `viewer-${index}@example.com`, password: "correct horse battery" };
    const { id } = await post(`${authUrl}/auth/v1/admin/users`, { ...user, email_confirm: true }, {
      apikey: secretKey,
    });
    for (const { company } of tenants) await insertMember(sql, company.id, id);
    tokens.push((await post(`${baseUrl}/auth?grant_type=password`, user)).access_token!);
  }
  return tokens;
}

async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return await response.json();
}
