import { z } from "zod";

/** The cell of keys and ids that name none. */
export const HOME_CELL = 0;

/** The number has 12 bits in the id of a company. */
export const MAX_CELL = 4095;

/** In the text of keys and tokens the cell stands before a point: `outbound_7.q3V1…`, `outbound_test_7.q3V1…`. */
const KEY_CELL = /^[a-z]+_(?:test_)?([1-9]\d{0,3})\./;

/** Returns the cell that the text of a key or of a visitor's token names. */
export function cellOfKey(key: string): number {
  return Number(KEY_CELL.exec(key)?.[1] ?? HOME_CELL);
}

/**
 * Returns the cell that the id of a company names: 12 bits after the version of a UUIDv8 (RFC 9562), which
 * outbound.new_company_id writes. An id of another version is of cell 0.
 */
export function cellOfCompany(companyId: string): number {
  return companyId[14] === "8" ? Number.parseInt(companyId.slice(15, 18), 16) : HOME_CELL;
}

/** Returns what a key of a company has between its prefix and its random part. */
export function cellInKey(companyId: string): string {
  const cell = cellOfCompany(companyId);
  return cell === HOME_CELL ? "" : `${cell}.`;
}

/** Returns the databases of all cells, by number. */
export function databasesOf(
  { DATABASE_URL, DATABASE_URLS }: { DATABASE_URL: string; DATABASE_URLS: ReadonlyMap<number, string> },
): Map<number, string> {
  return new Map([[HOME_CELL, DATABASE_URL], ...DATABASE_URLS]);
}

const cellUrl = /^([1-9]\d{0,3})=(\S+)$/;

/** The databases of cells 1 and up by number, of a text such as `1=postgres://… 2=postgres://…`. */
export function cellUrls<Url extends z.ZodType<string>>(url: Url) {
  return z.string().transform((text, context) => {
    const urls = new Map<number, string>();
    for (const entry of text.split(/\s+/).filter(Boolean)) {
      const [, number, address] = cellUrl.exec(entry) ?? [];
      const problem = number === undefined || Number(number) > MAX_CELL
        ? `each is <number from 1 to ${MAX_CELL}>=<postgres URL>`
        : urls.has(Number(number))
        ? `cell ${number} is named twice`
        : url.safeParse(address).error?.issues.map(({ message }) => `cell ${number}: ${message}`).join(", ");
      if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
      else urls.set(Number(number), address!);
    }
    return new Map([...urls].sort(([a], [b]) => a - b));
  });
}
