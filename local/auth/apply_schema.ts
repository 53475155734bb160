import type postgres from "postgres";

/**
 * Makes the tables of `schema.sql`, unless they are there.
 *
 * @throws Error when Supabase Auth itself keeps its tables in this database; two servers must not share them
 */
export async function applyAuthSchema(sql: postgres.Sql): Promise<void> {
  const schema = await Deno.readTextFile(new URL("./schema.sql", import.meta.url));
  await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtext('outbound local auth schema'))`;
    const [row] = await transaction`select to_regclass('auth.schema_migrations') as theirs`;
    if (row?.theirs) throw new Error("This database belongs to a Supabase project: set SUPABASE_URL as well");
    await transaction.unsafe(schema).simple();
  });
}
