import { z } from "@hono/zod-openapi";
import { ratesOfCountries, readCurrencies } from "../db/campaigns/rates.ts";
import type { Sql } from "../db/driver/connect.ts";
import { orNull } from "../values/or_null.ts";

/** Messages to one country in one category. */
export interface PricedMessages {
  /** By ISO 3166-1; null where the number does not show it. */
  country: string | null;
  /** Null for calls, which the rate card does not know. */
  category: string | null;
  messages: number;
  /** `2030-01-31`, in UTC. */
  day: string;
}

const costSchema = z.object({
  amount: z.string().openapi({ example: "1.25" }),
  currency: z.string().openapi({ example: "USD" }),
  complete: z.boolean().openapi({ description: "Whether the rate card has a rate for every message" }),
}).openapi("EstimatedCost");

/** Why there is no estimate, or not of all messages. */
export const COST_CODES = [
  "calls",
  "no_rate_card",
  "currency_not_set",
  "currency_unknown",
  "incomplete",
] as const;

type CostCode = typeof COST_CODES[number];

export const estimateFields = {
  estimated_cost: orNull(costSchema).openapi({
    description: "By the operator's rate card, without volume tiers; null without one",
  }),
  estimated_cost_code: z.enum(COST_CODES).optional().openapi({
    description: "Why there is no estimate; `incomplete`: it leaves messages out",
  }),
  estimated_cost_reason: z.string().optional().openapi({ description: "`estimated_cost_code` in words" }),
};

/** An estimate in total, and of each of the given groups of messages, in their order. */
export interface Estimate {
  total: z.infer<z.ZodObject<typeof estimateFields>>;
  /** Null without a rate. */
  costs: (string | null)[];
}

/** Estimates what messages cost by the operator's rate card. */
export async function estimateCost(
  sql: Sql,
  messages: PricedMessages[],
  companyCurrency: string | null,
): Promise<Estimate> {
  const none = (code: CostCode, reason: string): Estimate => ({
    total: { estimated_cost: null, estimated_cost_code: code, estimated_cost_reason: reason },
    costs: messages.map(() => null),
  });
  if (messages.length > 0 && messages.every(({ category }) => category === null)) {
    return none("calls", "The rate card is about messages, not about calls");
  }
  const currencies = await readCurrencies(sql);
  if (currencies.length === 0) return none("no_rate_card", "The operator has imported no rate card");
  const currency = companyCurrency ?? currencies[0]!;
  if (companyCurrency === null && currencies.length > 1) {
    return none(
      "currency_not_set",
      `The rate card has ${currencies.join(", ")}: the operator has not set the currency of this company`,
    );
  }
  if (!currencies.includes(currency)) {
    return none("currency_unknown", `The rate card has no rates in ${currency}`);
  }
  return await estimateIn(sql, messages, currency);
}

async function estimateIn(sql: Sql, messages: PricedMessages[], currency: string): Promise<Estimate> {
  const known = new Map<string, Map<string, bigint>>();
  for (const { category, day } of messages) {
    const id = `${category} ${day}`;
    if (category === null || known.has(id)) continue;
    const countries = messages.flatMap((each) =>
      each.category === category && each.day === day ? each.country ?? "" : []
    );
    known.set(id, await ratesOfCountries(sql, { countries, category, currency, day }));
  }
  const costs = messages.map(({ category, day, country, messages }) => {
    const rate = known.get(`${category} ${day}`)?.get(country ?? "");
    return rate === undefined ? null : rate * BigInt(messages);
  });
  const amount = costs.reduce<bigint>((sum, cost) => sum + (cost ?? 0n), 0n);
  const unknown = messages.reduce((sum, each, index) => sum + (costs[index] === null ? each.messages : 0), 0);
  return {
    total: {
      estimated_cost: { amount: formatAmount(amount), currency, complete: unknown === 0 },
      ...(unknown > 0 && {
        estimated_cost_code: "incomplete" as const,
        estimated_cost_reason: `The rate card has no rate for ${unknown} of the messages`,
      }),
    },
    costs: costs.map((cost) => cost === null ? null : formatAmount(cost)),
  };
}
const DIGITS = 6;

/** Returns an amount in millionths as a decimal number, without zeros at the end: `0.0125`. */
export function formatAmount(millionths: bigint): string {
  const text = String(millionths).padStart(DIGITS + 1, "0");
  const fraction = text.slice(-DIGITS).replace(/(?<!0)0+$/, "");
  const whole = text.slice(0, -DIGITS);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Adds two amounts that `formatAmount` returned. */
export function addAmounts(a: string, b: string): string {
  return formatAmount(millionthsOf(a) + millionthsOf(b));
}

function millionthsOf(amount: string): bigint {
  const [whole, fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(DIGITS, "0"));
}
