/**
 * The simulated platform and Supabase Auth, in a process of their own. Prints a StandIns as JSON when both listen.
 * Usage: stand_ins.ts DATABASE_URL
 *
 * @module
 */
import { print } from "../../cli/terminal/print.ts";
import { startAuthServer } from "../../local/auth/start.ts";
import { newSigningKey } from "../../local/auth/token_signer.ts";
import { startSandbox } from "../../local/sandbox/start.ts";
import { APP_SECRET } from "./service.ts";

/** Where the stand-ins listen, and their keys. */
export interface StandIns {
  platformUrl: string;
  authUrl: string;
  publishableKey: string;
  secretKey: string;
}

async function start(databaseUrl: string): Promise<StandIns> {
  const signingKey = await newSigningKey();
  const keys = { publishableKey: "sb_publishable_bench", secretKey: `sb_secret_${crypto.randomUUID()}` };
  const auth = await startAuthServer({ port: 0, databaseUrl, signingKey, ...keys });
  const platform = await startSandbox({ port: 0, webhookUrl: null, appSecret: APP_SECRET, accounts: [] });
  return { platformUrl: platform.url, authUrl: auth.url, ...keys };
}

if (import.meta.main) print(JSON.stringify(await start(Deno.args[0]!)));
