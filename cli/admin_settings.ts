import { join } from "node:path";
import { z } from "zod";
import { withoutEmpty } from "../supabase/functions/_shared/values/objects.ts";
import { CommandError } from "./errors/command_error.ts";

/** Variables in the names of the environment, and where the database was found. */
export interface AdminSettings {
  variables: Record<string, string | undefined>;
  databaseUrl: string;
  from: "environment" | "stack";
  /** The stack's sandbox, where it is the messaging platform. */
  sandboxUrl?: string;
}

/**
 * Finds the database to work on: `DATABASE_URL`, or else the embedded stack in `OUTBOUND_HOME`. The stack also
 * fills in all other settings the environment leaves open, unless `DATABASE_URL` names another database.
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
  const variables = { ...stack, ...withoutEmpty(environment) };
  const { WHATSAPP_API_URL: sandboxUrl } = stack;
  return {
    variables,
    databaseUrl: stack.DATABASE_URL,
    from: "stack",
    ...(sandboxUrl !== undefined && variables.WHATSAPP_API_URL === sandboxUrl && { sandboxUrl }),
  };
}

const stackSchema = z.object({
  base_url: z.string().optional(),
  database_url: z.string(),
  auth_url: z.string().optional(),
  sandbox_url: z.string().optional(),
});

const secretsSchema = z.record(z.string(), z.unknown());

/**
 * Reads the settings of the stack that `deno task start` keeps in a folder, under the names they have in the
 * environment; undefined when none was ever started there. Fails when the folder may not be read.
 */
async function readStack(home: string): Promise<Record<string, string> | undefined> {
  const stack = stackSchema.safeParse(await readJson(join(home, "stack.json")));
  if (!stack.success) return undefined;
  const secrets = secretsSchema.safeParse(await readJson(join(home, "secrets.json"))).data ?? {};
  return strings({
    ...secrets,
    DATABASE_URL: stack.data.database_url,
    SUPABASE_URL: stack.data.auth_url,
    OUTBOUND_PUBLIC_URL: stack.data.base_url,
    OUTBOUND_MEDIA_FOLDER: join(home, "media"),
    WHATSAPP_API_URL: stack.data.sandbox_url,
    ELEVENLABS_API_URL: stack.data.sandbox_url,
    ELEVENLABS_API_KEY: secrets.SANDBOX_VOICE_KEY,
    OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true", // as "deno task start" sets it
  });
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await Deno.readTextFile(file));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function strings(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
