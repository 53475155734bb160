import type postgres from "postgres";
import type { Migration } from "./read.ts";

/** One statement of a file that runs outside a transaction. */
export interface ConcurrentStatement {
  kind: "create" | "drop";
  text: string;
  /** The index, with its schema if the statement names one. */
  index: string;
}

const HEADER = /^-- no transaction\s*(\n|$)/;
const NAME = `(?:"[^"]+"|\\w+)`;
const CREATE = new RegExp(
  `^create\\s+(?:unique\\s+)?index\\s+concurrently\\s+(?:if\\s+not\\s+exists\\s+)?(${NAME})\\s+on\\s+(?:only\\s+)?` +
    `(?:(${NAME})\\.)?${NAME}`,
  "i",
);
const DROP = new RegExp(
  `^drop\\s+index\\s+concurrently\\s+(?:if\\s+exists\\s+)?((?:${NAME}\\.)?${NAME})$`,
  "i",
);

/** Returns whether the first line of a file asks for no transaction around it. */
export function runsOutsideTransaction({ text }: Migration): boolean {
  return HEADER.test(text);
}

/**
 * Returns the statements of such a file.
 *
 * @throws Error for a statement that could not be repeated after a failure half way
 */
export function concurrentStatements({ file, text }: Migration): ConcurrentStatement[] {
  const bare = text.replace(/^[ \t]*--.*$/gm, "");
  return bare.split(/;\s*(?:\n|$)/).map((part) => part.trim()).filter((part) => part !== "").map((part) => {
    const created = CREATE.exec(part);
    if (created) {
      const [, name, schema] = created;
      return { kind: "create", text: part, index: schema ? `${schema}.${name}` : name! };
    }
    const dropped = DROP.exec(part);
    if (dropped) return { kind: "drop", text: part, index: dropped[1]! };
    throw new Error(
      `Migration ${file} runs outside a transaction, and may hold nothing but "create index concurrently" and ` +
        `"drop index concurrently"`,
    );
  });
}

/** Another runner is building the same index. */
export class IndexBusyError extends Error {
  override readonly name = "IndexBusyError";
}

/**
 * Runs one statement, or the rest of it: an index that exists is kept, and one that a failed run left half made is made
 * again.
 *
 * @throws {IndexBusyError} while another runner builds it
 */
export async function runConcurrentStatement(
  sql: postgres.Sql,
  { kind, text, index }: ConcurrentStatement,
): Promise<void> {
  const state = await stateOf(sql, index);
  if (kind === "drop") {
    if (state !== "missing") await sql.unsafe(text).simple();
    return;
  }
  if (state === "valid") return;
  if (state === "building") throw new IndexBusyError(`Another runner is building ${index}`);
  if (state === "invalid") await sql.unsafe(`drop index concurrently if exists ${index}`).simple();
  await sql.unsafe(text).simple();
  // "if not exists" also accepts an index that another runner has begun.
  if (await stateOf(sql, index) !== "valid") throw new IndexBusyError(`Another runner is building ${index}`);
}

async function stateOf(
  sql: postgres.Sql,
  index: string,
): Promise<"missing" | "building" | "invalid" | "valid"> {
  const [row] = await sql<{ valid: boolean; building: boolean }[]>`
    select i.indisvalid as valid,
      exists (select from pg_stat_progress_create_index as p where p.index_relid = i.indexrelid) as building
    from pg_index as i where i.indexrelid = to_regclass(${index})`;
  if (row === undefined) return "missing";
  if (row.building) return "building";
  return row.valid ? "valid" : "invalid";
}
