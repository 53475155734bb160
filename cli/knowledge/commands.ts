import type { Command } from "commander";
import type { DocumentRow } from "../../supabase/functions/_shared/db/widgets/knowledge.ts";
import { type Column, renderTable, snakeKeys } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { readTextFile, uuid } from "../terminal/values.ts";
import { addKnowledge, listKnowledge, removeKnowledge } from "./actions.ts";

const COLUMNS: Column<DocumentRow>[] = [
  ["DOCUMENT", (row) => row.document_id],
  ["TITLE", (row) => row.title],
  ["LANGUAGE", (row) => row.language],
  ["CHARACTERS", (row) => row.characters],
  ["URL", (row) => row.url],
  ["CREATED", (row) => row.created_at],
];

/** `knowledge add | list | remove`. */
export function addKnowledgeCommands(program: Command, run: Run): void {
  const knowledge = program.command("knowledge").description(
    "manage the documents that voice widgets search",
  );
  addAdd(knowledge, run);
  knowledge.command("list").description("list documents, without their texts")
    .option("--company <id>", "only this company's", uuid)
    .action(({ company }: { company?: string }) =>
      run(async (session) => {
        const rows = await listKnowledge(session, { companyId: company });
        return {
          json: { documents: rows },
          text: renderTable(COLUMNS, rows, "No documents yet"),
        };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin knowledge list --company "$COMPANY"');
  knowledge.command("remove").description("remove a document")
    .argument("<document-id>", "the id that `knowledge list` shows", uuid)
    .action((documentId: string) =>
      run(async (session) => ({
        json: snakeKeys(await removeKnowledge(session, { documentId })),
        text: `Document ${documentId} removed`,
      }))
    )
    .addHelpText("after", '\nExample:\n  deno task admin knowledge remove "$DOCUMENT"');
}

interface AddOptions {
  company: string;
  title: string;
  file: string;
  url?: string;
  language?: string;
}

function addAdd(knowledge: Command, run: Run): void {
  knowledge.command("add").description("add a document and print its id")
    .requiredOption("--company <id>", "the document's company", uuid)
    .requiredOption("--title <title>", "1 to 300 characters")
    .requiredOption("--file <file>", "the text, up to 100,000 characters; - reads standard input")
    .option("--url <url>", "where visitors can read it")
    .option("--language <tag>", "such as en or pt-BR; the search then matches all forms of a word")
    .action(({ company, file, ...document }: AddOptions) =>
      run(async (session) => {
        const content = await readTextFile(file);
        const made = await addKnowledge(session, { companyId: company, content, ...document });
        return { json: snakeKeys(made), text: made.documentId };
      })
    )
    .addHelpText(
      "after",
      '\nExample:\n  deno task admin knowledge add --company "$COMPANY" --title "Returns" --file returns.txt --language en',
    );
}
