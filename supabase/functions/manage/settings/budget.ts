import { z } from "@hono/zod-openapi";

const AMOUNT_FORM = "an amount such as 250 or 99.50";
const amount = z.string({ error: AMOUNT_FORM }).regex(/^\d{1,9}(\.\d{1,2})?$/, AMOUNT_FORM);

/** The amounts that a company wants to spend on messages per month; null for a company that has set none. */
export const budgetSchema = z.strictObject({
  warn: amount.nullable().openapi({
    description: "From this amount on the overview and the audit warn",
    example: "80",
  }),
  limit: amount.nullable().openapi({
    description:
      "From this amount on requests are refused, and what waits is held until the next month (UTC)",
    example: "100",
  }),
  currency: z.string({ error: "a currency of the rate card" }).regex(
    /^[A-Z]{3}$/,
    "a currency of the rate card",
  )
    .openapi({ example: "EUR" }),
}).nullable().openapi({ description: "Per month, by the operator's rate card; null without one" });

/** For the API document. */
export const budgetExample = { warn: "80", limit: "100", currency: "EUR" };
