import { jsonParameter, type Sql } from "../driver/connect.ts";

/** A rate of the operator's card. */
export interface Rate {
  /** A country by ISO 3166-1, or `*` for the rest of the world. */
  market: string;
  category: string;
  currency: string;
  /** Per delivered message, a decimal number. */
  rate: string;
  /** `2026-10-01`. */
  effective_from: string;
}

/** Stores rates in place of those of the same market, category, currency and day. Returns how many are new. */
export async function storeRates(sql: Sql, rates: Rate[]): Promise<number> {
  const [row] = await sql<{ added: number }[]>`
    with stored as (
      insert into outbound.rates as r (market, category, currency, rate, effective_from)
      select n.market, n.category, n.currency, n.rate, n.effective_from
      from jsonb_to_recordset(${jsonParameter(sql, rates)}) as n(
        market text, category text, currency text, rate numeric, effective_from date
      )
      on conflict on constraint rates_pkey do update set rate = excluded.rate, imported_at = now()
      returning r.xmax = 0 as is_new
    )
    select count(*) filter (where is_new)::int as added from stored`;
  return row!.added;
}

/** Returns rates by market and category, the newest first; only those in effect on a day, where one is given. */
export async function readRates(
  sql: Sql,
  { currency, on }: { currency?: string | undefined; on?: string | undefined } = {},
): Promise<Rate[]> {
  return [
    ...await sql<Rate[]>`
      select r.market, r.category, r.currency, trim_scale(r.rate)::text as rate, r.effective_from::text
      from outbound.rates as r
      where r.currency = coalesce(${currency ?? null}, r.currency) and (${on ?? null}::date is null or (
        r.effective_from <= ${on ?? null}::date and not exists (
          select from outbound.rates as later
          where later.market = r.market and later.category = r.category and later.currency = r.currency
            and later.effective_from > r.effective_from and later.effective_from <= ${on ?? null}::date
        )
      ))
      order by r.market = '*', r.market, r.category, r.currency, r.effective_from desc`,
  ];
}

/** Removes the rates of a currency that are in effect from a day. Returns how many there were. */
export async function removeRates(
  sql: Sql,
  { currency, from }: { currency: string; from: string },
): Promise<number> {
  const { count } = await sql`
    delete from outbound.rates as r where r.currency = ${currency} and r.effective_from = ${from}::date`;
  return count;
}

/** Returns the currencies of the rate card. */
export async function readCurrencies(sql: Sql): Promise<string[]> {
  const rows = await sql<{ currency: string }[]>`
    select distinct r.currency from outbound.rates as r order by r.currency`;
  return rows.map(({ currency }) => currency);
}

/** Returns the days from which rates of the card are in effect, the newest first. */
export async function readRateDays(sql: Sql): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    select distinct r.effective_from::text as day from outbound.rates as r order by day desc`;
  return rows.map(({ day }) => day);
}

/** Returns the rate of each country that has one, in millionths: see `outbound.rates_of`. */
export async function ratesOfCountries(
  sql: Sql,
  { countries, category, currency, day }: {
    countries: string[];
    category: string;
    currency: string;
    day: string;
  },
): Promise<Map<string, bigint>> {
  const rows = await sql<{ country: string; millionths: string }[]>`
    select f.country, (f.rate * 1000000)::bigint::text as millionths
    from outbound.rates_of(${countries}::text[], ${category}, ${currency}, ${day}::date) as f`;
  return new Map(rows.map(({ country, millionths }) => [country, BigInt(millionths)]));
}
