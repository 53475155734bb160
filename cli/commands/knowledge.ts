import type { Command } from "commander";
import { addKnowledge } from "../actions/add_knowledge.ts";
import { type DocumentRow, listKnowledge } from "../actions/list_knowledge.ts";
import { removeKnowledge } from "../actions/remove_knowledge.ts";
import { type Column, renderTable } from "../output/render_table.ts";
import { snakeKeys } from "../output/snake_keys.ts";
import type { Run } from "./answer.ts";
import { readTextFile } from "./values/read_text_file.ts";
import { uuid } from "./values/uuid.ts";

const COLUMNS: Column<DocumentRow>[] = [
  ["DOCUMENT", (row) => row.documentId],
  ["TITLE", (row) => row.title],
  ["LANGUAGE", (row) => row.language],
  ["CHARACTERS", (row) => row.characters],
  ["URL", (row) => row.url],
  ["CREATED", (row) => row.createdAt],
];

/** `knowledge add | list | remove`. */
export function addKnowledgeCommands(program: Command, run: Run): void {
  const knowledge = program.command("knowledge").description(
    "texts that voice widgets can look things up in",
  );
  addAdd(knowledge, run);
  knowledge.command("list").description("documents, without their texts")
    .option("--company <id>", "only of this company", uuid)
    .action(({ company }: { company?: string }) =>
      run(async (session) => {
        const rows = await listKnowledge(session, { companyId: company });
        return {
          json: { documents: rows.map(snakeKeys) },
          text: renderTable(COLUMNS, rows, "No documents yet"),
        };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin knowledge list --company "$COMPANY"');
  knowledge.command("remove").description("take a document away")
    .argument("<document-id>", "as `knowledge list` shows it", uuid)
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
    .requiredOption("--company <id>", "whose document", uuid)
    .requiredOption("--title <title>", "1 to 300 characters")
    .requiredOption("--file <file>", "the text, up to 100,000 characters; - reads standard input")
    .option("--url <url>", "where a visitor can read it")
    .option("--language <tag>", "such as en or pt-BR: forms of one word then count as the same")
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
