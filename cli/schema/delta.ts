import { LARGE_TABLES } from "../migrations/large_tables.ts";
import { type Catalogue, type CatalogueObject, differences, keyOf } from "./catalogue.ts";
import { BODIES_CHECKED, BODIES_UNCHECKED, type SchemaFile } from "./read_schema.ts";
import { splitStatements, type Statement } from "./split_statements.ts";

/** The migration files that lead from one state of the schema to another, and what they leave to do. */
export interface Delta {
  /** Each runs in a transaction, and changes one table that exists. */
  migrations: string[];
  /** Creates indexes of large tables, outside a transaction. */
  newIndexes: string;
  /** Drops indexes, outside a transaction, once the new ones exist. */
  oldIndexes: string;
  /** Validates constraints of large tables, in a transaction after that of the migration. */
  validations: string;
  /** The functions that it drops and makes again, because `create or replace` cannot change their arguments or result; by key. */
  remade: string[];
  /** All that it drops, by key; what a dropped table held goes unnamed. */
  gone: string[];
  /** Changes that no statement was written for. */
  todo: string[];
}

/** The two versions of the schema that a delta leads between, and the differences still to write. */
interface Change {
  before: Catalogue;
  after: Catalogue;
  /** The objects that differ. */
  changed: CatalogueObject[];
  validations: string[];
  todo: string[];
}

/**
 * Writes the statements that lead from `before`, made by the migrations, to `after`, made by `files`. Functions, indexes,
 * triggers and new tables are copied from the files; columns and constraints are written from the catalogue.
 */
export function deltaOf(files: SchemaFile[], before: Catalogue, after: Catalogue): Delta {
  const change: Change = { before, after, changed: differences(before, after), validations: [], todo: [] };
  const source = files.flatMap(({ text }) => splitStatements(text));
  const statements = [
    ...source.flatMap((statement) => [
      ...functionStatements(statement, change),
      ...viewStatements(statement, change),
      ...tableStatements(statement, change),
    ]),
    ...dropStatements(change),
  ];
  return {
    migrations: byLockedTable(statements, change).map(inTransaction),
    newIndexes: outsideTransaction(source.flatMap((statement) => concurrentIndex(statement, change))),
    oldIndexes: outsideTransaction(
      change.changed.filter((object) =>
        object.kind === "index" && isGone(object, change) && isOfKeptTable(object, change)
      )
        .map(({ name }) => `drop index concurrently if exists outbound.${name};`),
    ),
    validations: change.validations.length > 0 ? `${LOCK_TIMEOUT}\n${change.validations.join("\n")}\n` : "",
    remade: change.changed.filter((object) => {
      const old = before.get(keyOf(object));
      const isKept = [...after.values()].some((other) => functionName(other) === functionName(object));
      return old?.kind === "function" && isKept && after.get(keyOf(object))?.signature !== old.signature;
    }).map(keyOf),
    gone: change.changed.filter((object) =>
      isGone(object, change) && object.kind !== "columns" &&
      (object.kind === "table" || object.table === null || isOfKeptTable(object, change))
    ).map(keyOf),
    todo: change.todo,
  };
}

/**
 * Splits statements so that no transaction locks two tables that exist. One that holds a lock and waits for another makes
 * calls that read both tables wait in a circle, and Postgres may end the call.
 */
function byLockedTable(statements: string[], { before }: Change): string[][] {
  const files: string[][] = [];
  let locked: string | undefined;
  for (const statement of statements) {
    const [, name] = LOCKED.exec(statement.replace(/^--.*\n/gm, "")) ?? [];
    const table = before.has(`table ${name}`) || before.has(`view ${name}`) ? name : undefined;
    if (files.length === 0 || locked !== undefined && table !== undefined && table !== locked) {
      files.push([]);
      locked = undefined;
    }
    files.at(-1)!.push(statement);
    locked ??= table;
  }
  return files;
}

/** The table or view that a statement locks against others. */
const LOCKED =
  /^(?:(?:alter|drop) (?:table|view)|create or replace view|create (?:unique )?index \w+\s+on|create or replace trigger \w+\s[^;]*?\son|drop trigger \w+ on) outbound\.(\w+)/;

function inTransaction(statements: string[]): string {
  return `${LOCK_TIMEOUT}\n${BODIES_UNCHECKED}\n${statements.join("\n\n")}\n\n${BODIES_CHECKED}`;
}

const LOCK_TIMEOUT = "set local lock_timeout = '2s';";

function outsideTransaction(statements: string[]): string {
  return statements.length > 0 ? `-- no transaction\n${statements.join("\n")}\n` : "";
}

/** A function that is new or changed, copied with its header. One that cannot be replaced is dropped first. */
function functionStatements({ comment, text }: Statement, { before, after, changed }: Change): string[] {
  const [, verb, name] = /^(create function|revoke execute on function) outbound\.(\w+)/.exec(text) ?? [];
  if (verb === undefined) return [];
  if (!changed.some((object) => functionName(object) === name && after.has(keyOf(object)))) return [];
  if (verb !== "create function") return [text];
  const replaced = [...before.values()].filter((old) =>
    functionName(old) === name && after.get(keyOf(old))?.signature !== old.signature
  );
  return [
    ...replaced.map((old) => `${DROP_WARNING}\ndrop function outbound.${old.name};`),
    commented(comment, text.replace(/^create function/, "create or replace function")),
  ];
}

/** A view that is new or changed, copied. Postgres lets a view be replaced by one with more columns at its end. */
function viewStatements({ comment, text }: Statement, { after, changed }: Change): string[] {
  const [, verb, view] = /^(create view|revoke all on) outbound\.(\w+)/.exec(text) ?? [];
  if (!changed.some((object) => object.kind === "view" && object.name === view && after.has(keyOf(object)))) {
    return [];
  }
  return [commented(comment, verb === "create view" ? text.replace(verb, "create or replace view") : text)];
}

const DROP_WARNING =
  "-- Processes of the version before may still call this one: if so, drop it in the next release.";

/** All of a new table, copied; or what changed of a table, where the table is created. */
function tableStatements({ comment, text }: Statement, change: Change): string[] {
  const table = TARGET.exec(text)?.[1];
  if (table === undefined) return [];
  if (!change.before.has(`table ${table}`)) return [commented(comment, text)];
  if (text.startsWith("create table")) {
    return change.changed.filter((object) => object.table === table).flatMap((object) =>
      alterStatements(object, change)
    );
  }
  const isChanged = (kind: CatalogueObject["kind"], name: string | undefined) =>
    change.changed.some((object) => object.kind === kind && object.table === table && object.name === name);
  if (text.startsWith("alter table")) return isChanged("table", table) ? [text] : [];
  const trigger = /^create trigger (\w+)/.exec(text)?.[1];
  if (trigger !== undefined) {
    return isChanged("trigger", trigger)
      ? [commented(comment, text.replace("create trigger", "create or replace trigger"))]
      : [];
  }
  const index = newIndex(text, change);
  return index !== undefined && !LARGE_TABLES.includes(table) ? [commented(comment, text)] : [];
}

/** The table that a statement creates, or adds something to. */
const TARGET =
  /^(?:create table|alter table|insert into|create (?:unique )?index \w+\s+on|create trigger \w+\s[\s\S]*?\son) outbound\.(\w+)/;

/** An index on a large table that exists already: it is made while others write. */
function concurrentIndex({ comment, text }: Statement, change: Change): string[] {
  const index = newIndex(text, change);
  if (index === undefined || !LARGE_TABLES.includes(index.table!)) return [];
  return [commented(comment, text.replace(/ index /, " index concurrently "))];
}

/** The new index of an existing table that a statement creates. */
function newIndex(text: string, change: Change): CatalogueObject | undefined {
  const name = /^create (?:unique )?index (\w+)/.exec(text)?.[1];
  return change.changed.find((object) =>
    object.kind === "index" && object.name === name && !change.before.has(keyOf(object)) &&
    isOfKeptTable(object, change)
  );
}

function alterStatements(object: CatalogueObject, change: Change): string[] {
  const { kind, table, name } = object;
  const { definition } = change.after.get(keyOf(object)) ?? object;
  const alter = `alter table outbound.${table}`;
  const isAdded = !change.before.has(keyOf(object));
  if (kind === "column" && isAdded) {
    if (/ not null$/.test(definition) && !/ (default|generated) /.test(definition)) {
      change.todo.push(
        `${
          keyOf(object)
        } is not null without a default: rows that exist have no value, and the last release writes none`,
      );
    }
    return [`${alter} add column ${name} ${definition};`];
  }
  if (kind === "column" && isGone(object, change)) return [];
  if (kind === "constraint") {
    return [
      ...(isAdded ? [] : [`${alter} drop constraint ${name};`]),
      ...(isGone(object, change) ? [] : addConstraint({ ...object, definition }, change)),
    ];
  }
  if (kind === "trigger" && isGone(object, change)) return [`drop trigger ${name} on outbound.${table};`];
  if (kind === "column") {
    change.todo.push(`${keyOf(object)} is now "${definition}": write the statement by hand`);
  }
  if (kind === "index" && !isAdded && !isGone(object, change)) {
    change.todo.push(`${keyOf(object)} changed: give the new index another name`);
  }
  return [];
}

/** On a large table, only new rows are checked under the lock; the others are read later, while others write. */
function addConstraint({ table, name, definition }: CatalogueObject, change: Change): string[] {
  const add = `alter table outbound.${table} add constraint ${name} ${definition}`;
  if (!LARGE_TABLES.includes(table!)) return [`${add};`];
  if (!/^(CHECK|FOREIGN KEY) /.test(definition)) {
    change.todo.push(
      `constraint ${table}.${name} reads a large table under a lock: create its index concurrently, and add it "using index"`,
    );
    return [`${add};`];
  }
  change.validations.push(`alter table outbound.${table} validate constraint ${name};`);
  return [`${add} not valid;`];
}

/** Last, after the functions that no longer use what is dropped. */
function dropStatements(change: Change): string[] {
  const { before, after, changed } = change;
  const kept = new Set([...after.values()].map(functionName));
  return changed.filter((object) => before.has(keyOf(object)) && !after.has(keyOf(object))).flatMap(
    (object) => {
      if (object.kind === "table" || object.kind === "view") {
        return [`drop ${object.kind} outbound.${object.name};`];
      }
      if (object.kind === "column" && isOfKeptTable(object, change)) {
        return [`alter table outbound.${object.table} drop column ${object.name};`];
      }
      if (object.kind !== "function" || kept.has(functionName(object))) return [];
      return [`${DROP_WARNING}\ndrop function outbound.${object.name};`];
    },
  );
}

function functionName({ kind, name }: CatalogueObject): string | undefined {
  return kind === "function" ? name.slice(0, name.indexOf("(")) : undefined;
}

function isGone(object: CatalogueObject, { after }: Change): boolean {
  return !after.has(keyOf(object));
}

function isOfKeptTable({ table }: CatalogueObject, { before, after }: Change): boolean {
  return before.has(`table ${table}`) && after.has(`table ${table}`);
}

function commented(comment: string, text: string): string {
  return comment === "" ? text : `${comment}\n${text}`;
}
