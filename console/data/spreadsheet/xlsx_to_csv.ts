import { readXlsx } from "./read_xlsx.ts";

/** Writes the first sheet of a workbook as CSV, for the API, which reads no workbooks. Throws where it is none. */
export async function xlsxToCsv(file: Blob): Promise<Blob> {
  const rows = readXlsx(new Uint8Array(await file.arrayBuffer()));
  return new Blob(rows.map((row) => `${row.map(quoted).join(",")}\r\n`), { type: "text/csv" });
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}
