import type { CommandOutput, Session } from "../session.ts";
import { type Column, renderTable, snakeKeys } from "./render.ts";

/** A list of a command. */
export interface RowList<Row> {
  /** The list in the output for programs, such as `companies`. */
  name: string;
  columns: Column<Row>[];
  whenEmpty: string;
  /** Of one company, which is in one cell; of all, it has the rows of all cells. */
  companyId?: string | undefined;
  read: (session: Session) => Promise<Row[]>;
}

/** Lists rows; where there are several cells, each says its cell. */
export async function listRows<Row extends object>(
  session: Session,
  { name, columns, whenEmpty, companyId, read }: RowList<Row>,
): Promise<CommandOutput> {
  if (companyId !== undefined || session.cells.size === 1) {
    const rows = await read(session);
    return { json: { [name]: rows.map(snakeKeys) }, text: renderTable(columns, rows, whenEmpty) };
  }
  const byCell = await session.inEachCell(read);
  const rows = [...byCell].flatMap(([cell, rows]) => rows.map((row) => ({ cell, ...row })));
  return {
    json: { [name]: rows.map(snakeKeys) },
    text: renderTable([["CELL", ({ cell }) => cell], ...columns], rows, whenEmpty),
  };
}
