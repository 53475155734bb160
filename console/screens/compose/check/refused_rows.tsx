import { csvLine } from "../../../../supabase/functions/_shared/values/csv_line.ts";
import { saveFile } from "../../../data/save_file.ts";
import type { UploadDryRun } from "../../../data/sdk.ts";
import { Button } from "../../../components/button.tsx";
import { attempt, toast } from "../../../components/dialog/toast.tsx";
import { count } from "../../../i18n/format.ts";
import type { Ready } from "../draft.ts";
import { type ContactFile, TYPED_NAME } from "../upload/contact_file.ts";
import { readProblems } from "../upload/upload.ts";
import { rowReason } from "./row_reason.ts";
import { words } from "../../../i18n/words.ts";

/** Saves the rows that are refused, as a file to correct: with its own columns, and why. */
export function RefusedRows({ uploadId, file, refused, ready }: {
  uploadId: string;
  file: ContactFile;
  refused: number;
  ready: Ready;
}) {
  const names = words().compose;

  async function save(): Promise<void> {
    const problems = await attempt(() => readProblems(uploadId, file));
    if (problems === undefined) return;
    const rows = problems.filter(({ status }) => status !== "held");
    const name = file.name === TYPED_NAME ? names.typed : file.name.replace(/\.\w+$/, "");
    saveFile(`${names.refusedFile(name)}.csv`, new Blob([BYTE_ORDER_MARK, refusedCsv(rows, file, ready)]));
    if (rows.length < refused) toast(names.refusedMore(count(rows.length)));
  }

  return <Button icon="download" onPress={save}>{names.saveRefused}</Button>;
}

/** Without it, spreadsheets take the letters for those of Windows. */
const BYTE_ORDER_MARK = "\uFEFF";

/** Writes rows with all their columns, and behind them what is wrong with each. */
function refusedCsv(
  rows: UploadDryRun["problems"],
  { columns }: Pick<ContactFile, "columns">,
  ready: Ready,
): string {
  const header = csvLine([...columns, words().compose.code]);
  return header +
    rows.map((row) =>
      csvLine([...columns.map((column) => cellText(row.cells?.[column])), rowReason(row, ready)])
    ).join("");
}

function cellText(cell: unknown): string | number | null {
  if (typeof cell === "string" || typeof cell === "number" || cell === null) return cell;
  return cell === undefined ? null : JSON.stringify(cell);
}
