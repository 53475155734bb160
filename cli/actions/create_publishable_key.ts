import { newPublishableKey } from "../../supabase/functions/_shared/access/new_publishable_key.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { refuseOnConstraint } from "./refuse_on_constraint.ts";
import { unknownCompany } from "./unknown_company.ts";

/**
 * Makes a key that may stand on web pages: it opens the company's widgets and nothing else. A company may have several.
 *
 * @throws {CommandError} `not_found`
 */
export async function createPublishableKey(
  { sql }: { sql: Sql },
  { companyId }: { companyId: string },
): Promise<{ key: string; keyId: string }> {
  const key = newPublishableKey();
  const [row] = await refuseOnConstraint(
    sql<{ keyId: string }[]>`
      insert into outbound.publishable_keys (company_id, key) values (${companyId}, ${key})
      returning id as "keyId"`,
    { publishable_keys_company_fkey: () => unknownCompany(companyId) },
  );
  return { key, keyId: row!.keyId };
}
