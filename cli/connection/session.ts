import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { connect, type Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { type Env, EnvError, loadEnv } from "../../supabase/functions/_shared/env.ts";
import type { WhatsappConfig } from "../../supabase/functions/_shared/gateways/whatsapp/config.ts";
import { CommandError } from "../command_error.ts";
import { createCheckedSealer } from "./checked_sealer.ts";
import type { AdminSettings } from "./find_settings.ts";

/** What a command works with. What only some commands need is asked for, and refused by name when it is not set. */
export interface Session {
  sql: Sql;
  /** @throws {CommandError} `not_configured` without SECRETS_KEY, and when sealing with one that lacks the database's */
  sealer(): Sealer;
  /** @throws {CommandError} `not_configured` without SUPABASE_URL and SUPABASE_SECRET_KEY */
  authServer(): { supabaseUrl: string; supabaseSecretKey: string };
  whatsapp: WhatsappConfig;
  /** How long the platform may take to answer. */
  sendTimeoutMs: number;
  /** Whether webhooks may be on this machine, in private networks, and without TLS. */
  allowPrivateWebhooks: boolean;
  close(): Promise<void>;
}

/** Passes the schema where SECRETS_KEY is missing; `sealer` refuses before it could be used. */
const NO_SECRETS_KEY = "-".repeat(32);

/** @throws {CommandError} `not_configured` when a setting is malformed */
export function openSession({ variables }: AdminSettings): Session {
  const env = checked(variables);
  const sql = connect(env.DATABASE_URL, { max: 1 });
  return {
    sql,
    sealer: () => createCheckedSealer(sql, required("SECRETS_KEY", variables.SECRETS_KEY)),
    authServer: () => ({
      supabaseUrl: required("SUPABASE_URL", env.SUPABASE_URL),
      supabaseSecretKey: required("SUPABASE_SECRET_KEY", env.SUPABASE_SECRET_KEY),
    }),
    whatsapp: { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION },
    sendTimeoutMs: env.SEND_TIMEOUT_S * 1000,
    allowPrivateWebhooks: env.ALLOW_PRIVATE_WEBHOOKS,
    close: () => sql.end({ timeout: 5 }),
  };
}

function checked(variables: Record<string, string | undefined>): Env {
  try {
    return loadEnv({ ...variables, SECRETS_KEY: variables.SECRETS_KEY || NO_SECRETS_KEY });
  } catch (error) {
    if (error instanceof EnvError) throw new CommandError("not_configured", error.message, { cause: error });
    throw error;
  }
}

function required(name: string, value: string | undefined): string {
  if (!value) throw new CommandError("not_configured", `${name} is not set, and this command needs it`);
  return value;
}
