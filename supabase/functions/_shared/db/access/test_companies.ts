import { type Actor, writeAudit } from "./audit.ts";
import type { Sql } from "../driver/connect.ts";
import { inTransaction } from "../driver/in_transaction.ts";

/** The test company of a live company. */
export interface TestCompany {
  company_id: string;
  name: string;
  /** Notifications per UTC day that its keys together may queue. */
  daily_quota: number;
}

/**
 * Makes the test company of a live company, or returns the one that it has, with the senders and templates that the live
 * company has now. Undefined for a company that is itself a test company.
 *
 * @param options `dailyQuota`: that of a new one
 */
export async function openTestCompany(
  sql: Sql,
  companyId: string,
  { dailyQuota }: { dailyQuota: number },
  by: Actor,
): Promise<TestCompany | undefined> {
  return await inTransaction(sql, async (on) => {
    const [row] = await on<(TestCompany & { is_new: boolean })[]>`
      select * from outbound.open_test_company(${companyId}, ${dailyQuota})`;
    if (row === undefined) return undefined;
    const { is_new, ...company } = row;
    if (is_new) {
      await writeAudit(on, companyId, {
        ...by,
        action: "test_company.created",
        subject: company.company_id,
        after: { daily_quota: company.daily_quota },
      });
    }
    return company;
  });
}

/** Gives the test company of a company, if there is one, the senders and templates that the company has now. */
export async function refreshTestCompany(sql: Sql, companyId: string): Promise<void> {
  await sql`select outbound.refresh_test_company(${companyId})`;
}

/** Returns whether a company is a test company. */
export async function isTestCompany(sql: Sql, companyId: string): Promise<boolean> {
  const rows = await sql`
    select from outbound.companies where id = ${companyId} and live_company_id is not null`;
  return rows.length > 0;
}
