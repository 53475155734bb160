import { cellOfCompany, cellOfKey, HOME_CELL } from "../../cells.ts";
import { type Services, servicesOfAllCells, servicesOfCell } from "../../services.ts";
import { startDeadline } from "../../concurrency/deadline.ts";
import { type Result, resultOf } from "../../errors.ts";
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
  return servicesOfCell(services, cellOfRequest(c) ?? HOME_CELL);
}

/** Returns the cell that a request names; undefined for one that is about none, or about all. */
function cellOfRequest(c: AppContext): number | undefined {
  const key = c.req.query("access_key") ?? c.req.query("customer_id") ?? KEY_IN_PATH.exec(c.req.path)?.[1] ??
    /^Bearer +([a-z]+_\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  if (key !== undefined) return cellOfKey(key);
  const [, companyId] = COMPANY_IN_PATH.exec(c.req.path) ?? [];
  return companyId === undefined ? undefined : cellOfCompany(companyId.toLowerCase());
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
  const services = c.get("services");
  const responses = await askEachCell(services, ask);
  const rows = responses.flatMap(({ result }) => result.ok ? result.value : [])
    .sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  const failed = responses.flatMap(({ cell, result }) => result.ok ? [] : [{ cell, ...result }]);
  if (failed.length === 0) return rows;
  if (rows.length === 0) throw failed[0]!.error;
  for (const { cell, error } of failed) {
    services.log.warn("a cell is left out of a list", {
      request_id: c.get("requestId"),
      cell,
      ...describeError(error),
    });
  }
  c.header(MISSING_CELLS, failed.map(({ cell }) => cell).join(","));
  return rows;
}

/** Asks every cell at once. Where there are several, one that does not respond within a second has failed. */
export async function askEachCell<Value>(
  services: Services,
  ask: (services: Services) => Promise<Value>,
): Promise<{ cell: number; result: Result<Value> }[]> {
  const cells = servicesOfAllCells(services);
  return await Promise.all(cells.map(async (each) => {
    const answer = ask(each);
    return { cell: each.cell, result: await resultOf(cells.length > 1 ? inTime(answer) : answer) };
  }));
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
