import { HOME_CELL } from "../../cells.ts";
import type { Sql } from "../driver/connect.ts";

/** The part of a database in the installation. */
export interface Cell {
  /** 0 where there is one database. */
  number: number;
  /**
   * `active`: it works. `standby`: it sends nothing. `copy`: neither does it, because it has the row of the database that it
   * was copied from, or none.
   */
  state: "active" | "standby" | "copy";
  /** Since when it, or its original, works; null without a row. */
  activated_at: Date | null;
}

/** The reasons for which a database sends nothing, with what to do. */
export const CELL_PROBLEMS: Record<Exclude<Cell["state"], "active">, string> = {
  standby: "This database is a standby: it sends nothing until `deno task admin cell activate`",
  copy: "This database is a copy of another one: it sends nothing until `deno task admin cell activate`",
};

/** Returns what the database knows of its part in the installation. */
export async function readCell(sql: Sql): Promise<Cell> {
  const [row] = await sql<Cell[]>`
    select coalesce(c.number, 0)::int as number, c.activated_at, case
        when outbound.is_active_cell() then 'active'
        when c.state = 'standby' then 'standby' else 'copy'
      end as state
    from (select) as always left join outbound.cell as c on true`;
  return row!;
}

/**
 * Gives a database that has no company yet its number, and returns what it then knows of itself; null where there are
 * companies: their ids and keys name the number they were made with.
 */
export async function numberCell(sql: Sql, number: number): Promise<Cell | null> {
  const rows = await sql`
    update outbound.cell set number = ${number}
    where not exists (select from outbound.companies) or number = ${number}
    returning number`;
  return rows.length === 0 ? null : await readCell(sql);
}

/** Returns why a process whose settings call a database this cell must not use it; undefined where it may. */
export function cellMismatch({ number }: Cell, expected: number): string | undefined {
  if (number === expected) return undefined;
  const setting = expected === HOME_CELL ? "DATABASE_URL" : `cell ${expected} of DATABASE_URLS`;
  return `${setting} leads to the database of cell ${number}`;
}

/** Makes the database the one that works, and returns what it then knows of itself. */
export async function activateCell(sql: Sql): Promise<Cell> {
  await sql`select outbound.activate_cell()`;
  return await readCell(sql);
}
