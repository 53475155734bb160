import { z } from "@hono/zod-openapi";
import { setBudget } from "../../_shared/db/campaigns/budgets.ts";
import { readCurrencies } from "../../_shared/db/campaigns/rates.ts";
import type { Sql } from "../../_shared/db/driver/connect.ts";
import { badFormat } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { budgetExample, budgetSchema } from "./budget.ts";
import { COMPANY_SETTINGS } from "./stored_settings.ts";

const schema = z.strictObject({ budget: budgetSchema }).openapi("BudgetSetting");

/** `PUT …/settings/budget` sets what the company spends per month. */
export function registerPutBudget(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/settings/budget",
    operationId: "setBudget",
    summary: "Set the budget for messages per month",
    description: "The cost is an estimate by the operator's rate card, and about a minute old.",
    body: { schema, example: { budget: budgetExample } },
    response: { schema, example: { budget: budgetExample } },
    document: COMPANY_SETTINGS,
  }, async (_, { caller: { companyId, by }, sql, body: { budget } }) => {
    if (budget !== null) await requireRates(sql, budget.currency);
    await setBudget(sql, companyId, budget, by);
    return { budget };
  });
}

/** Throws `validation_failed` for a currency in which no cost is known. */
async function requireRates(sql: Sql, currency: string): Promise<void> {
  const currencies = await readCurrencies(sql);
  if (currencies.includes(currency)) return;
  throw badFormat(
    "budget.currency",
    currency,
    `a currency of the rate card, which has ${currencies.join(", ") || "none"}`,
  );
}
