import type { ContactColumns } from "../../people/contact_columns.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";

/** Returns which columns of a company's files were which fields the last time. */
export async function readMapping(sql: Sql, companyId: string): Promise<ContactColumns> {
  const [row] = await sql<{ columns: ContactColumns }[]>`
    select columns from outbound.contact_mappings where company_id = ${companyId}`;
  return row?.columns ?? {};
}

/** Remembers the columns of a file, besides those of files before it. */
export async function rememberMapping(sql: Sql, companyId: string, columns: ContactColumns): Promise<void> {
  await sql`
    insert into outbound.contact_mappings as m (company_id, columns) values (${companyId}, ${
    jsonParameter(sql, columns)
  })
    on conflict on constraint contact_mappings_pkey do update
      set columns = (
        -- Those of the latest file win, and a company has not more than 500.
        select jsonb_object_agg(kept.key, kept.value) from (
          select c.key, c.value from jsonb_each(m.columns || excluded.columns) as c
          order by excluded.columns ? c.key desc limit 500
        ) as kept
      ), updated_at = now()`;
}
