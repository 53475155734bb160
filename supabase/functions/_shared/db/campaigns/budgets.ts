import { type Actor, auditChange } from "../access/audit.ts";
import type { Sql } from "../driver/connect.ts";

/** The amounts that a company wants to spend per month, as decimal numbers; null for no such amount. */
export interface Budget {
  /** From then on the overview and the audit warn. */
  warn: string | null;
  /** From then on nothing is accepted, and what waits is held. */
  limit: string | null;
  /** By ISO 4217. */
  currency: string;
}

/** A budget with what is known of the current month (UTC). */
export interface BudgetState extends Budget {
  spent: string;
  warned_at: Date | null;
  reached_at: Date | null;
}

/** Returns a company's budget with the state of the month; null without one. */
export async function readBudget(sql: Sql, companyId: string): Promise<BudgetState | null> {
  const [row] = await sql<BudgetState[]>`
    select trim_scale(b.warn_amount)::text as warn, trim_scale(b.limit_amount)::text as limit, b.currency,
      trim_scale(b.spent)::text as spent, b.warned_at, b.reached_at
    from outbound.budgets as b where b.company_id = ${companyId}`;
  return row ?? null;
}

/** Sets a company's budget, or removes it with null, and has its senders wait or leave accordingly at once. */
export async function setBudget(
  sql: Sql,
  companyId: string,
  budget: Budget | null,
  by: Actor,
): Promise<void> {
  const before = await readBudget(sql, companyId);
  if (budget === null) {
    await sql`delete from outbound.budgets where company_id = ${companyId}`;
    await sql`select outbound.hold_senders_over_budget(${companyId}, false)`;
  } else {
    await sql`
      insert into outbound.budgets as b (company_id, warn_amount, limit_amount, currency)
      values (${companyId}, ${budget.warn}::numeric, ${budget.limit}::numeric, ${budget.currency})
      on conflict on constraint budgets_pkey do update
      set warn_amount = excluded.warn_amount, limit_amount = excluded.limit_amount, currency = excluded.currency`;
    await sql`select outbound.check_budgets(${companyId})`;
  }
  const fields = (one: Budget | null) => ({
    warn: one?.warn ?? null,
    limit: one?.limit ?? null,
    currency: one?.currency ?? null,
  });
  await auditChange(sql, companyId, {
    ...by,
    action: "budget.updated",
    before: fields(before),
    after: fields(await readBudget(sql, companyId)),
  });
}

/** Compares the budgets that are due with what was spent. */
export async function checkBudgets(sql: Sql): Promise<void> {
  await sql`select outbound.check_budgets()`;
}
