import type { Command } from "commander";
import {
  type ArchiveFile,
  readArchiveFiles,
} from "../../supabase/functions/_shared/db/archive/archive_files.ts";
import { requireCompanies } from "../errors/refusals.ts";
import type { Run } from "../session.ts";
import { startProgress } from "../terminal/progress.ts";
import { type Column, renderTable } from "../terminal/render.ts";
import { uuid } from "../terminal/values.ts";
import { type CheckedFile, restoreFile, runNow, verifyFiles } from "./actions.ts";

const FILES: Column<ArchiveFile>[] = [
  ["ID", (file) => file.id],
  ["COMPANY", (file) => file.company_id],
  ["MONTH", (file) => file.month.slice(0, 7)],
  ["STATE", (file) => file.state],
  ["CAMPAIGNS", (file) => file.campaigns],
  ["MESSAGES", (file) => file.rows],
  ["BYTES", (file) => file.bytes],
  ["PROBLEM", (file) => file.problem],
];

const CHECKED: Column<CheckedFile>[] = [
  ["ID", (file) => file.id],
  ["MONTH", (file) => file.month.slice(0, 7)],
  ["MESSAGES", (file) => file.rows],
  ["PROBLEM", (file) => file.problem],
];

/** `archive run | list | verify | restore`. */
export function addArchiveCommands(program: Command, run: Run): void {
  const archive = program.command("archive").description(
    "move messages of old campaigns to Parquet files in the media store, and back",
  );
  archive.command("run")
    .description("archive what is old enough now; dispatchers do so by themselves, daily")
    .option("--company <id>", "only this company", uuid)
    .action(({ company = null }: { company?: string | null }) =>
      run(async (session) => {
        const progress = startProgress();
        const done = await runNow(session, company, (deleted, written) =>
          progress.update(deleted, Math.max(written, deleted), "messages moved")).finally(progress.stop);
        return {
          json: { ...done },
          text: `Archived ${done.deleted} messages; ${done.files} files in all`,
          problem: done.problems.length === 0 ? undefined : done.problems.join("; "),
        };
      })
    )
    .addHelpText(
      "after",
      `
A company archives what its rule archive_after_days says, which an owner sets.

Example:
  deno task admin archive run --company "$COMPANY"`,
    );
  archive.command("list").description("list the files; OBJECT with --json is the key in the store")
    .option("--company <id>", "only this company", uuid)
    .action(({ company = null }: { company?: string | null }) =>
      run(async ({ sql }) => {
        if (company !== null) await requireCompanies(sql, company);
        const files = (await readArchiveFiles(sql, company)).map((file) => ({
          ...file,
          key: file.object_id === null ? null : `${file.company_id}/${file.object_id}`,
        }));
        return { json: { files }, text: renderTable(FILES, files, "No files") };
      })
    )
    .addHelpText("after", `\nExample:\n  deno task admin archive list --company "$COMPANY"`);
  archive.command("verify")
    .description(
      "read all files, and compare them with their checksums and with the counters of their campaigns",
    )
    .option("--company <id>", "only this company", uuid)
    .action(({ company = null }: { company?: string | null }) =>
      run(async (session) => {
        const progress = startProgress();
        const files = await verifyFiles(session, company, (done, all) =>
          progress.update(done, all, "files read")).finally(progress.stop);
        const wrong = files.filter(({ problem }) =>
          problem !== null
        ).length;
        return {
          json: { files },
          text: renderTable(CHECKED, files, "No files"),
          problem: wrong === 0 ? undefined : `${wrong} of ${files.length} files are not as they were written`,
        };
      })
    )
    .addHelpText("after", `\nExample:\n  deno task admin archive verify --company "$COMPANY"`);
  archive.command("restore").description(
    "put the messages of a file back into the database, and delete the file",
  )
    .argument("<file-id>", "as list shows it", uuid)
    .requiredOption("--company <id>", "the company", uuid)
    .action((fileId: string, { company: companyId }: { company: string }) =>
      run(async (session) => {
        const progress = startProgress();
        const restored = await restoreFile(session, { companyId, fileId }, (done, all) =>
          progress.update(done, all, "messages restored")).finally(progress.stop);
        return {
          json: { restored },
          text:
            `Restored ${restored} messages. The company's next turn archives them again, within a day, unless ` +
            "archive_after_days is more, or null",
        };
      })
    )
    .addHelpText(
      "after",
      `\nExample:\n  deno task admin archive restore "$FILE" --company "$COMPANY"`,
    );
}
