import { isSecretsKeyRight, WRONG_SECRETS_KEY } from "../supabase/functions/_shared/access/secrets_canary.ts";
import { databasesOf, HOME_CELL } from "../supabase/functions/_shared/cells.ts";
import { createSealer, type Sealer } from "../supabase/functions/_shared/crypto/seal.ts";
import { connect, type Sql } from "../supabase/functions/_shared/db/driver/connect.ts";
import { type Env, EnvError, loadEnv } from "../supabase/functions/_shared/env.ts";
import type { MediaStore } from "../supabase/functions/_shared/gateways/media_store/media_store.ts";
import { openMediaStore } from "../supabase/functions/_shared/gateways/media_store/open_media_store.ts";
import type { AdminSettings } from "./admin_settings.ts";
import { CommandError } from "./errors/command_error.ts";
import { describeFailure } from "./errors/failures.ts";

/** The connections and settings of a command. Functions return what only some commands need, or name what is not set. */
export interface Session {
  sql: Sql;
  /** The databases of all cells, by number. */
  cells: Map<number, string>;
  /** @throws {CommandError} `not_configured` without OUTBOUND_SECRETS_KEY, and when sealing with one that lacks the database's */
  sealer(): Sealer;
  /** @throws {CommandError} `not_configured` without SUPABASE_URL and SUPABASE_SECRET_KEY */
  authServer(): { supabaseUrl: string; supabaseSecretKey: string };
  /** Null without OUTBOUND_S3_URL and OUTBOUND_MEDIA_FOLDER. */
  mediaStore: MediaStore | null;
  /** The sandbox of `deno task start`, where it is the messaging platform. */
  sandboxUrl: string | undefined;
  /**
   * Does one thing in the cell that `--cell` names, or else in all, in their order: for what the cells share. One that
   * fails keeps it from no other.
   *
   * @throws {CommandError} `database_error` naming the cells in which it failed
   */
  inEachCell<Value>(work: (session: Session) => Promise<Value>): Promise<Map<number, Value>>;
  close(): Promise<void>;
}

/** Passes the schema where OUTBOUND_SECRETS_KEY is missing; `sealer` refuses before it could be used. */
const NO_SECRETS_KEY = "-".repeat(32);

/**
 * Opens the session that the settings describe, in the cell that is chosen, or else in cell 0; it connects with the first
 * query.
 *
 * @throws {CommandError} `not_configured` when a setting is malformed, or none names the cell
 */
export function openSession(settings: AdminSettings, chosen: number | undefined): Session {
  const { variables, sandboxUrl } = settings;
  const cell = chosen ?? HOME_CELL;
  const env = checked(variables);
  const cells = databasesOf(env);
  const url = cells.get(cell);
  if (url === undefined) {
    throw new CommandError(
      "not_configured",
      `DATABASE_URLS has no cell ${cell}; known: ${[...cells.keys()].join(", ")}`,
    );
  }
  const sql = connect(url, { max: 1 });
  return {
    sql,
    cells,
    sealer: () => createCheckedSealer(sql, required("OUTBOUND_SECRETS_KEY", variables.OUTBOUND_SECRETS_KEY)),
    authServer: () => ({
      supabaseUrl: required("SUPABASE_URL", env.SUPABASE_URL),
      supabaseSecretKey: required("SUPABASE_SECRET_KEY", env.SUPABASE_SECRET_KEY),
    }),
    mediaStore: openMediaStore(env),
    sandboxUrl,
    inEachCell: (work) => inEachOf(chosen === undefined ? cells : new Map([[cell, url]]), settings, work),
    close: () => sql.end({ timeout: 5 }),
  };
}

async function inEachOf<Value>(
  cells: Map<number, string>,
  settings: AdminSettings,
  work: (session: Session) => Promise<Value>,
): Promise<Map<number, Value>> {
  const done = new Map<number, Value>();
  const failed: string[] = [];
  for (const [cell, databaseUrl] of cells) {
    const session = openSession(settings, cell);
    try {
      done.set(cell, await work(session));
    } catch (error) {
      if (cells.size === 1) throw error;
      failed.push(`cell ${cell}: ${describeFailure(error, { ...settings, databaseUrl }).message}`);
    } finally {
      await session.close();
    }
  }
  if (failed.length === 0) return done;
  const where = done.size === 0 ? "in no cell" : `in ${cellsOf(done)} only`;
  throw new CommandError("database_error", `Done ${where}. ${failed.join("; ")}. Repeat it with --cell`);
}

/** Names the cells, for a message. */
export function cellsOf(done: Map<number, unknown>): string {
  return `${done.size === 1 ? "cell" : "cells"} ${[...done.keys()].join(", ")}`;
}

function checked(variables: Record<string, string | undefined>): Env {
  try {
    return loadEnv({ ...variables, OUTBOUND_SECRETS_KEY: variables.OUTBOUND_SECRETS_KEY || NO_SECRETS_KEY });
  } catch (error) {
    if (error instanceof EnvError) throw new CommandError("not_configured", error.message, { cause: error });
    throw error;
  }
}

function required(name: string, value: string | undefined): string {
  if (!value) throw new CommandError("not_configured", `${name} is not set: this command needs it`);
  return value;
}

/**
 * Creates a sealer that seals nothing the service could not open: `seal` throws a `CommandError` when OUTBOUND_SECRETS_KEY does not have
 * the key of this database.
 */
export function createCheckedSealer(sql: Sql, secretsKey: string): Sealer {
  const sealer = createSealer(secretsKey);
  return {
    ...sealer,
    async seal(plain, owner) {
      if (await isSecretsKeyRight({ sql, sealer })) return await sealer.seal(plain, owner);
      throw new CommandError("not_configured", WRONG_SECRETS_KEY);
    },
  };
}

/** The result of a command: one object for programs, some lines for people. */
export interface CommandOutput {
  json: Record<string, unknown>;
  text: string;
  /** The problem that the command found, for standard error; the exit code is then 1. */
  problem?: string | undefined;
}

/** Runs an action with a session and prints its result. */
export type Run = (action: (session: Session) => Promise<CommandOutput>) => Promise<void>;
