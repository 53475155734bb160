import { concurrentStatements, runsOutsideTransaction } from "../../cli/migrations/outside_transaction.ts";
import { LARGE_TABLES } from "../../cli/migrations/large_tables.ts";
import type { Migration } from "../../cli/migrations/read.ts";

/** From this version on a file meets databases that are at work; those before it only ever ran on empty ones. */
export const FIRST_ON_LIVING_DATABASES = "20261122000000";

/**
 * Returns what is wrong with the files, one breach per line; docs/operations.md, "Upgrades", gives the reasons.
 *
 * @param released the SQL functions that the code of the last release calls
 */
export function breachesOf(migrations: Migration[], released: string[]): string[] {
  return migrations.flatMap((migration, index) => {
    const breaches = [...breachesAnywhere(migration)];
    if (migration.version >= FIRST_ON_LIVING_DATABASES) {
      breaches.push(...breachesOnLivingDatabases(migration, migrations.slice(0, index)));
      breaches.push(...droppedFunctions(migration, released));
    }
    return breaches.map((breach) => `${migration.file}: ${breach}`);
  });
}

function breachesAnywhere(migration: Migration): string[] {
  const text = withoutComments(migration.text);
  const both = /^\s*drop\s+index\b/im.test(text) && /^\s*create\s+(unique\s+)?index\b/im.test(text);
  return both ? ["drops an index and creates one: no transaction can use the table in between"] : [];
}

function breachesOnLivingDatabases(migration: Migration, before: Migration[]): string[] {
  if (runsOutsideTransaction(migration)) return breachesOutsideTransaction(migration, before);
  const text = withoutComments(migration.text);
  const breaches: string[] = [];
  if (!/^\s*set\s+local\s+lock_timeout\s*=\s*'\d+m?s'\s*;/i.test(text)) {
    breaches.push("does not begin with set local lock_timeout = '2s'");
  }
  for (
    const [, table] of text.matchAll(/^\s*create\s+(?:unique\s+)?index\b[^;]*?\son\s+outbound\.(\w+)/gim)
  ) {
    const isNew = new RegExp(`create\\s+table\\s+(if\\s+not\\s+exists\\s+)?outbound\\.${table}\\b`, "i").test(
      text,
    );
    if (LARGE_TABLES.includes(table!) && !isNew) {
      breaches.push(
        `creates an index on ${table} in a transaction: no transaction can write to it meanwhile`,
      );
    }
  }
  return breaches;
}

function droppedFunctions({ text }: Migration, released: string[]): string[] {
  return [...withoutComments(text).matchAll(/^\s*drop\s+function\b[^;]*?\boutbound\.(\w+)/gim)]
    .filter(([, name]) => released.includes(name!))
    .map(([, name]) => `drops ${name}, which the last release calls: give the new one another name`);
}

function breachesOutsideTransaction(migration: Migration, before: Migration[]): string[] {
  try {
    return concurrentStatements(migration)
      .filter(({ kind, index }) => kind === "create" && before.some((earlier) => creates(earlier, index)))
      .map(({ index }) =>
        `creates ${index}, a name that an earlier file has used: it would be taken for done`
      );
  } catch (error) {
    return [(error as Error).message];
  }
}

function creates({ text }: Migration, index: string): boolean {
  const name = index.split(".").at(-1)!;
  return new RegExp(
    `create\\s+(unique\\s+)?index\\s+(concurrently\\s+)?(if\\s+not\\s+exists\\s+)?${name}\\b`,
    "i",
  )
    .test(withoutComments(text));
}

function withoutComments(text: string): string {
  return text.replace(/--.*$/gm, "");
}
