import { withoutEmpty } from "../../supabase/functions/_shared/without_empty.ts";
import { CommandError } from "../command_error.ts";
import { readStack } from "./read_stack.ts";

/** Variables in the names of the environment, and where the database was found. */
export interface AdminSettings {
  variables: Record<string, string | undefined>;
  databaseUrl: string;
  from: "environment" | "stack";
}

/**
 * Finds the database to work on: `DATABASE_URL`, or else the embedded stack in `OUTBOUND_HOME`. The stack also
 * fills in whatever else the environment leaves open, unless `DATABASE_URL` names another database.
 *
 * @throws {CommandError} `not_configured` when there is neither
 */
export async function findSettings(environment: Record<string, string>): Promise<AdminSettings> {
  const home = environment.OUTBOUND_HOME || ".outbound";
  const own = environment.DATABASE_URL || environment.SUPABASE_DB_URL;
  const stack = await readStack(home);
  if (own && own !== stack?.DATABASE_URL) {
    return { variables: environment, databaseUrl: own, from: "environment" };
  }
  if (!stack?.DATABASE_URL) {
    throw new CommandError(
      "not_configured",
      `No database: set DATABASE_URL, or start the embedded stack with "deno task start" (nothing in ${home})`,
    );
  }
  return {
    variables: { ...stack, ...withoutEmpty(environment) },
    databaseUrl: stack.DATABASE_URL,
    from: "stack",
  };
}
