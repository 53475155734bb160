import type { JsonObject } from "../setup/http/http.ts";
import { insertWidget } from "../setup/fixtures/widgets.ts";
import type { Manage } from "./with_manage.ts";

/** Opens a chat in which the visitor wrote, of a widget configured as given. Returns its id. */
export async function openChat(
  { sql, company }: Pick<Manage, "sql" | "company">,
  text: string,
  config: JsonObject = {},
): Promise<string> {
  const widget = await insertWidget(sql, company.id, { config });
  const id = crypto.randomUUID();
  await sql`
    insert into outbound.conversations (company_id, id, widget_id, user_id, token_hash, stored_bytes_left)
    values (${company.id}, ${id}, ${widget.id}, gen_random_uuid(), encode(sha256(${id}::bytea), 'hex'), 16384)`;
  await sql`select outbound.add_message(${company.id}, ${id}, 'visitor', ${text}, null, '{}')`;
  return id;
}
