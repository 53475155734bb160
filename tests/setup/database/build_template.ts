/**
 * Makes the migrated database that test databases are copied from. Started once per run by `deno task test`.
 *
 * @module
 */
import postgres from "postgres";
import { applyMigrations } from "../../../cli/migrations/apply.ts";
import { databaseKind } from "./database.ts";
import { buildPgliteTemplates, templateFile } from "./pglite.ts";
import { databaseUrl, onServer, TEMPLATE_DATABASE } from "./postgres.ts";

async function buildTemplateDatabase(): Promise<void> {
  await onServer((sql) => sql`create database ${sql(TEMPLATE_DATABASE)}`);
  const sql = postgres(databaseUrl(TEMPLATE_DATABASE), { max: 1, onnotice: () => {} });
  await applyMigrations(sql).finally(() => sql.end());
}

async function writePgliteTemplates(folder: string): Promise<void> {
  const { bare, migrated } = await buildPgliteTemplates();
  await Deno.writeFile(templateFile(folder, "bare"), bare.stream());
  await Deno.writeFile(templateFile(folder, "migrated"), migrated.stream());
}

async function build(): Promise<void> {
  if (databaseKind() === "postgres") await buildTemplateDatabase();
  else await writePgliteTemplates(Deno.env.get("TEST_PGLITE_TEMPLATES") ?? ".");
}

await build().catch((error) => {
  Deno.stderr.writeSync(new TextEncoder().encode(`${(error as Error).message}\n`));
  Deno.exit(1);
});
