import { join } from "node:path";
import { z } from "zod";

const stackSchema = z.object({
  database_url: z.string(),
  auth_url: z.string().optional(),
  sandbox_url: z.string().optional(),
});

const secretsSchema = z.record(z.string(), z.unknown());

/**
 * The settings of the stack that `deno task start` keeps in a folder, under the names they have in the
 * environment; undefined when none was ever started there. Fails when the folder may not be read.
 */
export async function readStack(home: string): Promise<Record<string, string> | undefined> {
  const stack = stackSchema.safeParse(await readJson(join(home, "stack.json")));
  if (!stack.success) return undefined;
  const secrets = secretsSchema.safeParse(await readJson(join(home, "secrets.json"))).data ?? {};
  return strings({
    ...secrets,
    DATABASE_URL: stack.data.database_url,
    SUPABASE_URL: stack.data.auth_url,
    WHATSAPP_API_URL: stack.data.sandbox_url,
    ALLOW_PRIVATE_WEBHOOKS: "true", // as "deno task start" has it on its own database
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
