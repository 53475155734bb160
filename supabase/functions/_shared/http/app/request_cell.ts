import { cellOfCompany, cellOfKey, HOME_CELL } from "../../cells.ts";
import { type Services, servicesOfAllCells, servicesOfCell } from "../../services.ts";
import { startDeadline } from "../../concurrency/deadline.ts";
import { resultOf } from "../../errors.ts";
import { describeError } from "../../log.ts";
import { UUID } from "../../values/uuid.ts";
import type { AppContext } from "./context.ts";

const COMPANY_IN_PATH = new RegExp(`/(?:companies|invitations)/(${UUID})(?:/|$)`, "i");
const KEY_IN_PATH = /\/widgetWebView\/([^/]+)\//;

/**
 * Returns the services of the cell that a request is about, by its key or visitor's token, or else by the company in its
 * path. A key counts first: with the id of another cell's company it is a stranger's, as within one cell.
 */
export function servicesOfRequest(c: AppContext, services: Services): Services {
  if (services.otherCells.numbers.length === 0) return services;
  return servicesOfCell(services, cellOfRequest(c));
}

function cellOfRequest(c: AppContext): number {
  const key = c.req.query("access_key") ?? c.req.query("customer_id") ?? KEY_IN_PATH.exec(c.req.path)?.[1] ??
    /^Bearer +([a-z]+_\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  if (key !== undefined) return cellOfKey(key);
  const [, companyId] = COMPANY_IN_PATH.exec(c.req.path) ?? [];
  return companyId === undefined ? HOME_CELL : cellOfCompany(companyId.toLowerCase());
}

/** Goes on in the cell of a company that the request's body or token names. */
export function enterCompanyCell(c: AppContext, companyId: string): void {
  c.set("services", servicesOfCell(c.get("services"), cellOfCompany(companyId.toLowerCase())));
}

const ASK_MS = 1000;

/** The header that names the cells whose rows are missing from a list. */
export const MISSING_CELLS = "X-Outbound-Missing-Cells";

/**
 * Asks every cell at once and returns all rows, by name, which is the order that each cell returns them in. One that does
 * not respond within a second is left out, named in a header and in the log. Throws its error where no other cell has a
 * row, because the list could be empty for that reason alone.
 */
export async function askAllCells<Row>(
  c: AppContext,
  ask: (services: Services) => Promise<Row[]>,
  nameOf: (row: Row) => string,
): Promise<Row[]> {
  const cells = servicesOfAllCells(c.get("services"));
  if (cells.length === 1) return await ask(cells[0]!);
  const results = await Promise.all(cells.map((services) => resultOf(inTime(ask(services)))));
  const rows = results.flatMap((result) => result.ok ? result.value : [])
    .sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  const failed = results.flatMap((result, index) =>
    result.ok ? [] : [{ cell: cells[index]!.cell, ...result }]
  );
  if (failed.length === 0) return rows;
  if (rows.length === 0) throw failed[0]!.error;
  for (const { cell, error } of failed) {
    c.get("services").log.warn("a cell is left out of a list", {
      request_id: c.get("requestId"),
      cell,
      ...describeError(error),
    });
  }
  c.header(MISSING_CELLS, failed.map(({ cell }) => cell).join(","));
  return rows;
}

async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const deadline = startDeadline(ASK_MS);
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        deadline.onEnd = () => reject(deadline.signal.reason);
      }),
    ]);
  } finally {
    deadline.clear();
  }
}
