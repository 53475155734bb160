import {
  isSecretsKeyRight,
  WRONG_SECRETS_KEY,
} from "../../supabase/functions/_shared/access/secrets_canary.ts";
import { HOME_CELL } from "../../supabase/functions/_shared/cells.ts";
import { type Sql, stopPreparing } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { supportsPreparedStatements } from "../../supabase/functions/_shared/db/driver/supports_prepared_statements.ts";
import { cellMismatch, readCell } from "../../supabase/functions/_shared/db/queue/cell.ts";
import { tryToStore } from "../../supabase/functions/_shared/db/queue/settings.ts";
import { EnvError, loadEnv } from "../../supabase/functions/_shared/env.ts";
import { describeError } from "../../supabase/functions/_shared/log.ts";
import {
  createServices,
  PREPARED_STATEMENTS_LOST,
  type Services,
  servicesOfAllCells,
} from "../../supabase/functions/_shared/services.ts";
import { CommandError } from "../errors/command_error.ts";
import { describeDatabaseError } from "../errors/describe_database_error.ts";
import { pendingMigrations } from "../migrations/history.ts";
import { automaticTracesProblem, openTracing } from "../tracing/open_tracing.ts";

/**
 * Opens the service for an environment.
 *
 * @param required settings that must be there although the service could run without them
 * @throws {CommandError} `not_configured` for settings that are missing or malformed, for the runtime's own traces and for
 * an OUTBOUND_SECRETS_KEY that is not the database's, `database_error` for a database that cannot be reached or lacks migrations
 */
export async function openServices(
  variables: Record<string, string | undefined>,
  required: string[],
): Promise<Services> {
  const known = { ...variables, DATABASE_URL: variables.DATABASE_URL || variables.SUPABASE_DB_URL };
  const missing = required.filter((name) => !known[name as keyof typeof known]);
  if (missing.length > 0) {
    throw new CommandError("not_configured", `Missing settings: ${missing.join(", ")}`);
  }
  const automaticTraces = automaticTracesProblem(variables);
  if (automaticTraces !== undefined) throw new CommandError("not_configured", automaticTraces);
  const env = loadSettings(known);
  const services = createServices(env, { tracing: await openTracing(env) });
  for (const cell of servicesOfAllCells(services)) {
    const problem = await checkCell(cell);
    if (problem === undefined) await adaptToPooler(cell);
    else if (cell.cell === HOME_CELL || problem.code === "not_configured") {
      await services.close();
      throw problem;
    } else {
      // The others must not wait for it. Its own companies are refused until it is there.
      services.log.error("a cell cannot be used", { cell: cell.cell, reason: problem.message });
    }
  }
  return services;
}

/** Returns why the service cannot run on the database of a cell; undefined when it can. */
async function checkCell(services: Services): Promise<CommandError | undefined> {
  const database = await checkDatabase(services.sql, services.env.DATABASE_URL);
  if (database !== undefined) return new CommandError("database_error", database);
  const problem = cellMismatch(await readCell(services.sql), services.cell) ??
    await checkSecretsKey(services);
  return problem === undefined ? undefined : new CommandError("not_configured", problem);
}

function loadSettings(variables: Record<string, string | undefined>) {
  try {
    return loadEnv(variables);
  } catch (error) {
    if (error instanceof EnvError) throw new CommandError("not_configured", error.message, { cause: error });
    throw error;
  }
}

/** Returns in one line why the service cannot run on a database; undefined when it can. */
export async function checkDatabase(sql: Sql, databaseUrl: string): Promise<string | undefined> {
  try {
    const pending = await pendingMigrations(sql);
    if (pending.length === 0) return await fullDisk(sql, databaseUrl);
    const [first] = pending;
    return `The database lacks ${pending.length} migrations, from ${first} on: run "deno task migrate" first`;
  } catch (error) {
    return describeDatabaseError(error, databaseUrl);
  }
}

/** Reports only a full disk: other failures to store, such as a failover, may be over in a moment. */
async function fullDisk(sql: Sql, databaseUrl: string): Promise<string | undefined> {
  try {
    await tryToStore(sql);
  } catch (error) {
    if ((error as { code?: string }).code === "53100") return describeDatabaseError(error, databaseUrl);
  }
}

/** Returns in one line why the service cannot run with its OUTBOUND_SECRETS_KEY; undefined when it can. */
export async function checkSecretsKey(
  services: Pick<Services, "env" | "sql" | "sealer">,
): Promise<string | undefined> {
  try {
    return await isSecretsKeyRight(services) ? undefined : WRONG_SECRETS_KEY;
  } catch (error) {
    return describeDatabaseError(error, services.env.DATABASE_URL);
  }
}

/**
 * Switches prepared statements off where the pooler in front of the database cannot keep them, and logs that. Without
 * this the service would notice one statement later.
 */
export async function adaptToPooler({ env, sql, log }: Services): Promise<void> {
  try {
    if (!sql.options.prepare || await supportsPreparedStatements(env.DATABASE_URL)) return;
    if (stopPreparing(sql)) log.warn(PREPARED_STATEMENTS_LOST);
  } catch (error) {
    // No connection to spare, for one.
    log.warn("could not check whether the pooler keeps prepared statements", describeError(error));
  }
}
