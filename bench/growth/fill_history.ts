import { fileURLToPath } from "node:url";
import type postgres from "postgres";
import type { Tenant } from "../setup/tenants.ts";

/** Messages a statement. */
const PIECE = 50_000;
/** One for each of two cores. */
const WRITERS = 2;
const DAYS = 30;

const STATEMENT = fileURLToPath(new URL("fill_history.sql", import.meta.url));

/** How much history to add, and whose. */
export interface History {
  tenants: Tenant[];
  /** A multiple of a thousand. */
  count: number;
  report(line: string): void;
}

/**
 * Adds messages that have been sent, spread over the last thirty days, with all that stays in the database of each: its
 * campaign, its attempt and, of the last eight days, the platform's events.
 */
export async function fillHistory(sql: postgres.Sql, { tenants, count, report }: History): Promise<void> {
  const pieces = Array.from({ length: Math.ceil(count / PIECE) }, (_, index) => index);
  const whole = pieces.length;
  const from = Date.now() - DAYS * 86_400_000;
  const at = (piece: number) => new Date(from + (Date.now() - from) * (piece / whole)).toISOString();
  const owners = [
    tenants.map(({ company }) => company.id),
    tenants.map(({ key }) => key.id),
    tenants.map(({ sender }) => sender.id),
    tenants.map(({ template }) => template.id),
  ];
  let written = 0;
  const write = async () => {
    for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
      const size = Math.min(PIECE, count - piece * PIECE);
      const values = [...owners, size, at(piece), at(piece + 1)];
      await sql.begin(async (sql) => {
        // No triggers: they report to webhooks, and history has been reported.
        await sql`set local session_replication_role = replica`;
        await sql.file(STATEMENT, values);
      });
      if (++written % Math.ceil(whole / 10) === 0) {
        report(`${Math.round(100 * written / whole)} % of the history`);
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}
