import type { KeyState } from "./send_context.ts";
import type { Sql } from "./connect.ts";

export interface TemplateRow {
  id: string;
  name: string;
  status: string;
  category: string;
  language: string;
  parameter_format: "POSITIONAL" | "NAMED";
  components: unknown;
  rejected_reason: string | null;
}

export interface TemplatesForKey extends KeyState {
  templates: TemplateRow[];
}

/** The templates of the account that owns `phoneNumber`; none for a number the company does not have. Counts a request. */
export async function readTemplatesOfNumber(
  sql: Sql,
  query: { keyHash: string; phoneNumber: string },
): Promise<TemplatesForKey> {
  const [row] = await sql<TemplatesForKey[]>`
    with key as materialized (select * from outbound.use_access_key(${query.keyHash}))
    select key.*, (
      select coalesce(jsonb_agg(to_jsonb(t) order by t.name, t.language), '[]')
      from outbound.templates as t
      where t.company_id = key.company_id and t.waba_id in (
        select s.waba_id from outbound.senders as s
        where s.company_id = key.company_id and s.channel = 'whatsapp' and s.number = ${query.phoneNumber}
      )
    ) as templates
    from key`;
  return row!;
}

/** Every template of the company with this id (ours or the platform's) or name, approved ones first. Counts a request. */
export async function readTemplatesNamed(
  sql: Sql,
  query: { keyHash: string; template: string },
): Promise<TemplatesForKey> {
  const [row] = await sql<TemplatesForKey[]>`
    with key as materialized (select * from outbound.use_access_key(${query.keyHash}))
    select key.*, (
      select coalesce(jsonb_agg(to_jsonb(t) order by t.status = 'approved' desc, t.language), '[]')
      from outbound.templates as t
      where t.company_id = key.company_id
        and ${query.template} in (t.id::text, t.provider_template_id, t.name)
    ) as templates
    from key`;
  return row!;
}
