import type { Command } from "commander";
import {
  activateCell,
  type Cell,
  CELL_PROBLEMS,
  cellMismatch,
  numberCell,
  readCell,
} from "../../supabase/functions/_shared/db/queue/cell.ts";
import { HOME_CELL } from "../../supabase/functions/_shared/cells.ts";
import { readCompanies } from "../../supabase/functions/_shared/db/access/companies.ts";
import { readRates, storeRates } from "../../supabase/functions/_shared/db/campaigns/rates.ts";
import { connect, type Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { readOperatingFigures } from "../../supabase/functions/_shared/db/queue/operating_figures.ts";
import { copySharedSettings } from "../../supabase/functions/_shared/db/queue/settings.ts";
import { CommandError } from "../errors/command_error.ts";
import { describeDatabaseError } from "../errors/describe_database_error.ts";
import { pendingMigrations } from "../migrations/history.ts";
import type { CommandOutput, Run } from "../session.ts";
import { startProgress } from "../terminal/progress.ts";
import { type Column, renderFields, renderTable } from "../terminal/render.ts";
import { moveCell, type MoveState } from "../migrations/move_cell.ts";

const CONSEQUENCE =
  "It will send all that waits in it: messages, replies, and events for the companies' endpoints. " +
  "What the database it was copied from has sent since, or still sends, people get twice";

/** `cell list | add | move | status | activate`. */
export function addCellCommands(program: Command, run: Run): void {
  const cell = program.command("cell").description(
    "manage the databases of the cells, and say which one works after a restore or a copy",
  );
  cell.command("list").description("list the cells of DATABASE_URL and DATABASE_URLS")
    .action(() =>
      run(async ({ cells }) => {
        const rows = await Promise.all([...cells].map(([number, url]) => examine(number, url)));
        return { json: { cells: rows }, text: renderTable(COLUMNS, rows, "") };
      })
    )
    .addHelpText("after", "\nExample:\n  deno task admin cell list");
  cell.command("add").description("give an empty database, migrated before, the number that --cell names")
    .action((_, command: Command) =>
      run(async ({ sql, cells }) => {
        const { cell: number } = command.optsWithGlobals<{ cell?: number }>();
        if (number === undefined) throw new CommandError("usage", "Say which one: add --cell <number>");
        return await addCell({ sql, number, home: cells.get(HOME_CELL)! });
      })
    )
    .addHelpText(
      "after",
      "\nIt takes over what all cells share: rates, maintenance, the key of secrets.\n\nExample:\n  deno task admin cell add --cell 1",
    );
  cell.command("move").description("move this cell to another server, by Postgres's logical replication")
    .argument("<url>", "the new server, with an empty database")
    .option(
      "--from <url>",
      "the old server as the new one reaches it (default: the cell's URL)",
    )
    .option("--pgbouncer <url>", "PgBouncer's console: its clients wait during the switch")
    .option("--yes", "switch; without it, the new server only copies and follows")
    .action((to: string, { from, pgbouncer, yes = false }: MoveOptions, command: Command) =>
      run(async ({ cells }) => {
        const { cell: number = HOME_CELL } = command.optsWithGlobals<{ cell?: number }>();
        const progress = startProgress();
        const onCopy = ({ copied, all }: { copied: number; all: number }) =>
          progress.update(copied, all, "tables copied");
        try {
          const own = cells.get(number)!;
          const database = decodeURIComponent(new URL(own).pathname.slice(1));
          const pooler = pgbouncer === undefined ? undefined : { url: pgbouncer, database };
          const moved = await moveCell({ from: from ?? own, to, pgbouncer: pooler, onCopy }, {
            isSwitch: yes,
          });
          return { json: { ...moved }, text: describeMove(moved) };
        } finally {
          progress.stop();
        }
      })
    )
    .addHelpText("after", MOVE_HELP);
  cell.command("status").description("show whether this database sends what waits in it")
    .action(() =>
      run(async ({ sql }) => {
        const found = await readCell(sql);
        return { json: { ...found }, text: describe(found) };
      })
    )
    .addHelpText("after", "\nExample:\n  deno task admin cell status --json");
  cell.command("activate").description("let this database, a copy of another one, send what waits in it")
    .option("--yes", "do it: the database that it was copied from has stopped for good")
    .action(({ yes = false }: { yes?: boolean }) =>
      run(async ({ sql }) => {
        const found = await readCell(sql);
        if (found.state === "active") return { json: { ...found }, text: "This database works already" };
        const { due, sending, unconfirmed } = await readOperatingFigures(sql);
        if (!yes) {
          throw new CommandError(
            "usage",
            `${due} messages are due and ${sending + unconfirmed} under way. ${CONSEQUENCE}. ` +
              "Stop its processes for good, then add --yes",
          );
        }
        const activated = await activateCell(sql);
        return { json: { ...activated }, text: `This database works now: ${due} messages are due` };
      })
    )
    .addHelpText("after", "\nExample:\n  deno task admin cell activate --yes");
}

/** Numbers a database, and gives it what all cells share, as cell 0 has it. */
async function addCell(
  { sql, number, home }: { sql: Sql; number: number; home: string },
): Promise<CommandOutput> {
  const from = connect(home, { max: 1 });
  try {
    const rates = await readRates(from);
    const made = await numberCell(sql, number);
    if (made === null) {
      throw new CommandError(
        "refused",
        "This database has companies already, whose ids and keys name its number",
      );
    }
    await copySharedSettings({ from, to: sql });
    await storeRates(sql, rates);
    return {
      json: { ...made, rates: rates.length },
      text: `This database is cell ${number} now, with ${rates.length} rates of cell ${HOME_CELL}`,
    };
  } finally {
    await from.end({ timeout: 5 });
  }
}

interface MoveOptions {
  from?: string;
  pgbouncer?: string;
  yes?: boolean;
}

const MOVE_HELP = `
The old server needs wal_level = logical. The first call copies, and may take hours; the old server works on. Whatever
fails leaves it working: repeat the command to go on. With --yes nothing is accepted or sent for some seconds. Stop the
processes before, or name PgBouncer's console: then give its file the new server first, without a RELOAD.

Examples:
  deno task admin cell move postgres://postgres@new.example.com/outbound
  deno task admin cell move postgres://postgres@new.example.com/outbound --yes \\
    --from postgres://postgres@old.example.com/outbound --pgbouncer postgres://admin@127.0.0.1:6432/pgbouncer`;

function describeMove({ state, tables, stopped_ms }: MoveState): string {
  if (state === "following") {
    return `${tables} tables are copied, and the new server follows. Add --yes to switch`;
  }
  const stopped = stopped_ms === null ? "" : `, after ${stopped_ms / 1000} s in which neither worked`;
  return `The new server works${stopped}. Start the processes with its address; the old one takes no writes`;
}

interface CellRow {
  cell: number;
  database: string;
  state: string;
  companies: number | null;
  /** Migrations that it lacks. */
  behind: number | null;
  problem: string | null;
}

const COLUMNS: Column<CellRow>[] = [
  ["CELL", (row) => row.cell],
  ["DATABASE", (row) => row.database],
  ["STATE", (row) => row.state],
  ["COMPANIES", (row) => row.companies],
  ["BEHIND", (row) => row.behind],
  ["PROBLEM", (row) => row.problem],
];

async function examine(number: number, url: string): Promise<CellRow> {
  const { host, pathname } = new URL(url);
  const row = { cell: number, database: `${host}${pathname}` };
  const sql = connect(url, { max: 1 });
  try {
    const behind = (await pendingMigrations(sql)).length;
    const cell = await readCell(sql);
    return {
      ...row,
      state: cell.state,
      companies: (await readCompanies(sql)).length,
      behind,
      problem: cellMismatch(cell, number) ?? null,
    };
  } catch (error) {
    const nothing = { state: "unknown", companies: null, behind: null };
    return { ...row, ...nothing, problem: describeDatabaseError(error, url) };
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function describe(cell: Cell): string {
  const fields = renderFields([
    ["Cell", cell.number],
    ["State", cell.state],
    ["Active since", cell.state === "active" ? cell.activated_at : null],
  ]);
  return cell.state === "active" ? fields : `${fields}\n\n${CELL_PROBLEMS[cell.state]}`;
}
