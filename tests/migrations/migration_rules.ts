import { concurrentStatements, runsOutsideTransaction } from "../../cli/migrations/outside_transaction.ts";
import { LARGE_TABLES } from "../../cli/migrations/large_tables.ts";
import type { Migration } from "../../cli/migrations/read.ts";
import { isUsed, type ReleasedCalls } from "../../cli/schema/released_calls.ts";

/** From this version on a file meets databases that are at work; those before it only ever ran on empty ones. */
export const FIRST_ON_LIVING_DATABASES = "20261122000000";

/**
 * Returns what is wrong with the files, one breach per line; docs/operations.md, "Upgrades", gives the reasons.
 *
 * @param released what the code of the last release uses; undefined before the first
 */
export function breachesOf(migrations: Migration[], released: ReleasedCalls | undefined): string[] {
  return migrations.flatMap((migration, index) => {
    const breaches = [...breachesAnywhere(migration)];
    if (migration.version >= FIRST_ON_LIVING_DATABASES) {
      breaches.push(...breachesOnLivingDatabases(migration, migrations.slice(0, index)));
      breaches.push(...breachesBesideLastRelease(migration, released));
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
  const locked = lockedTables(text);
  if (locked.length > 1) {
    breaches.push(
      `locks ${
        locked.join(" and ")
      }: a call that reads both would wait in a circle. Change one table per file`,
    );
  }
  for (const statement of text.split(/;\s*(?:\n|$)/)) {
    const [, table] = ALTERED.exec(statement) ?? [];
    if (
      LARGE_TABLES.includes(table!) &&
      /\badd\s+constraint\b(?![\s\S]*\b(not\s+valid|using\s+index)\b)/i.test(statement)
    ) {
      breaches.push(
        `adds a constraint to ${table} that is not "not valid": it reads the whole table under a lock`,
      );
    }
  }
  return breaches;
}

/** The tables that a file locks against others, except those that it makes. */
function lockedTables(text: string): string[] {
  const [locks, makes] = [LOCKING, MAKING].map((pattern) =>
    [...text.matchAll(pattern)].map(([, name]) => name!)
  );
  return [...new Set(locks)].filter((name) => !makes!.includes(name));
}

const LOCKING =
  /^\s*(?:(?:alter|drop)\s+(?:table|view)(?:\s+if\s+exists)?(?:\s+only)?|create\s+(?:unique\s+)?index\b[^;]*?\son|(?:create(?:\s+or\s+replace)?|drop)\s+trigger\b[^;]*?\son)\s+outbound\.(\w+)/gim;
const MAKING = /^\s*create\s+table(?:\s+if\s+not\s+exists)?\s+outbound\.(\w+)/gim;

/** Returns the breaches that stop calls of the last release. */
function breachesBesideLastRelease({ text }: Migration, released: ReleasedCalls | undefined): string[] {
  const statements = withoutComments(text).split(/;\s*(?:\n|$)/);
  return statements.flatMap((statement) => {
    const drops = droppedBy(statement).filter((key) => released !== undefined && isUsed(released, key));
    return [
      ...drops.map((key) => `drops ${key}, which the last release uses: leave that to the next release`),
      ...STOPPING.filter(([pattern]) => pattern.test(statement)).map(([, breach]) => breach),
    ];
  });
}

function droppedBy(statement: string): string[] {
  const [, kind, name] =
    /^\s*drop\s+(function|table|view)\s+(?:if\s+exists\s+)?outbound\.(\w+)/i.exec(statement) ?? [];
  if (kind !== undefined) return [`${kind.toLowerCase()} ${name}`];
  const [, table] = ALTERED.exec(statement) ?? [];
  const columns = statement.matchAll(/\bdrop\s+column\s+(?:if\s+exists\s+)?(\w+)/gi);
  return table === undefined ? [] : [...columns].map(([, column]) => `column ${table}.${column}`);
}

const ALTERED = /^\s*alter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?outbound\.(\w+)/i;

/** The rest of what is said about a column, to the comma that ends it. */
const ONE_COLUMN = `(?:\\([^)]*\\)|[^,(])*`;

const STOPPING: readonly (readonly [RegExp, string])[] = [
  [
    /^\s*alter\s+(table|view|function|type)\b[\s\S]*\brename\b/i,
    "renames something: the last release knows it by its old name only. Add the new one, and drop the old one in the next release",
  ],
  [
    /^\s*alter\s+table\b[\s\S]*\balter\s+(column\s+)?\w+\s+(set\s+data\s+)?type\b/i,
    "changes the type of a column: Postgres writes the whole table again under a lock. Add another column",
  ],
  [
    new RegExp(
      `\\badd\\s+column\\b(?!${ONE_COLUMN}\\b(default|generated)\\b)${ONE_COLUMN}\\bnot\\s+null\\b`,
      "i",
    ),
    "adds a column that is not null without a default: the last release writes none",
  ],
];

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
