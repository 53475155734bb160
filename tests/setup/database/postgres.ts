import postgres from "postgres";

/** The migrated database every test database is copied from. */
export const TEMPLATE_DATABASE = "outbound_template";

/**
 * Makes a database on the test server: a copy of the migrated template, or an empty one.
 *
 * @throws Error when this process was not started by `deno task test`, which starts the server
 */
export async function createPostgresDatabase(
  template: "migrated" | "bare",
): Promise<{ url: string; close(): Promise<void> }> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const source = template === "migrated" ? TEMPLATE_DATABASE : "template0";
  // Copying files is quicker than logging every page of the copy.
  await onServer((sql) => sql`create database ${sql(name)} template ${sql(source)} strategy file_copy`);
  if (template === "migrated") await activate(databaseUrl(name));
  return {
    url: databaseUrl(name),
    close: async () => await onServer((sql) => sql`drop database ${sql(name)} with (force)`),
  };
}

/** Makes a copy of a database the one that works. */
export async function activate(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, fetch_types: false });
  await sql`select outbound.activate_cell()`.finally(() => sql.end({ timeout: 5 }));
}

/** The URL of a database on the test server. */
export function databaseUrl(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

/** Calls `fn` with one connection to the server's maintenance database. */
export async function onServer(fn: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(serverUrl(), { max: 1, onnotice: () => {}, fetch_types: false });
  try {
    await fn(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function serverUrl(): string {
  const url = Deno.env.get("TEST_POSTGRES_URL");
  if (!url) throw new Error('No test server: run this file with "deno task test <file>"');
  return url;
}
