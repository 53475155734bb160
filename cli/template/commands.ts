import { Argument, type Command } from "commander";
import type {
  TemplateReference,
  TemplateSummary,
} from "../../supabase/functions/_shared/db/templates/templates.ts";
import type {
  SyncedAccount,
  SyncProgress,
} from "../../supabase/functions/_shared/templates/sync_accounts.ts";
import { startProgress } from "../terminal/progress.ts";
import { type Column, renderFields, renderTable, snakeKeys } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { uuid } from "../terminal/values.ts";
import {
  listTemplates,
  setTemplateStatus,
  type ShownTemplate,
  showTemplate,
  syncTemplates,
  TEMPLATE_STATUSES,
  type TemplateStatus,
} from "./actions.ts";
import { addTemplateCreate } from "./create.ts";

const COLUMNS: Column<TemplateSummary>[] = [
  ["TEMPLATE", (row) => row.template_id],
  ["NAME", (row) => row.name],
  ["LANGUAGE", (row) => row.language],
  ["CATEGORY", (row) => row.category],
  ["STATUS", (row) => row.status],
  ["QUALITY", (row) => row.quality],
  ["CHANGED", (row) => row.updated_at],
  ["ACCOUNT", (row) => row.waba_id],
  ["REASON", (row) => row.rejected_reason],
];

const ACCOUNTS: Column<SyncedAccount>[] = [
  ["ACCOUNT", (row) => row.wabaId],
  ["TEMPLATES", (row) => row.templates],
  ["CHANGED", (row) => row.changed],
  ["PROBLEM", (row) => row.error],
];

type Narrowing = { company?: string; language?: string };

/** `template create | sync | set-status | list | show`. */
export function addTemplateCommands(program: Command, run: Run): void {
  const template = program.command("template").description("manage message templates");
  addTemplateCreate(template, run);
  addSync(template, run);
  addSetStatus(template, run);
  addList(template, run);
  addShow(template, run);
}

/** Adds the argument that names a template, and the options for a name that several templates have. */
function narrowed(command: Command): Command {
  return command
    .argument("<template>", "our id, the platform's id, or its name")
    .option("--company <id>", "its company", uuid)
    .option("--language <code>", "its language, as the platform writes it");
}

function reference(template: string, { company, language }: Narrowing): TemplateReference {
  return { template, companyId: company, language };
}

function addSync(template: Command, run: Run): void {
  template.command("sync").description(
    "update our copies of a company's templates from the platform, account by account",
  )
    .requiredOption("--company <id>", "the templates' company", uuid)
    .action(({ company }: { company: string }) =>
      run(async ({ sql, sealer, whatsapp }) => {
        const progress = startProgress();
        const onProgress = ({ accountsDone, accounts, templates }: SyncProgress) =>
          progress.update(accountsDone, accounts, `accounts, ${templates} templates read`);
        const accounts = await syncTemplates({ sql, sealer: sealer(), whatsapp, onProgress }, {
          companyId: company,
        })
          .finally(progress.stop);
        const problem = accounts.some(({ error }) => error) ? "Not every account could be read" : undefined;
        const json = { company_id: company, accounts: accounts.map(snakeKeys) };
        return { json, text: renderTable(ACCOUNTS, accounts, ""), problem };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin template sync --company "$COMPANY"');
}

function addSetStatus(template: Command, run: Run): void {
  narrowed(template.command("set-status"))
    .description(
      "set our copy of a template's state until the platform reports on it again; " +
        "its campaigns are held or released",
    )
    .addArgument(new Argument("<status>", "only approved templates can be sent").choices(TEMPLATE_STATUSES))
    .action((named: string, status: TemplateStatus, options: Narrowing) =>
      run(async (session) => {
        const changed = await setTemplateStatus(session, { ...reference(named, options), status });
        return { json: snakeKeys(changed), text: `Template ${changed.templateId} is ${status}` };
      })
    )
    .addHelpText(
      "after",
      '\nExample:\n  deno task admin template set-status order_ready disabled --company "$COMPANY" --language es',
    );
}

function addList(template: Command, run: Run): void {
  template.command("list").description("list our copies of the platform's templates")
    .option("--company <id>", "only this company's", uuid)
    .action(({ company }: { company?: string }) =>
      run(async (session) => {
        const rows = await listTemplates(session, { companyId: company });
        const text = renderTable(COLUMNS, rows, 'No templates yet: use "template sync"');
        return { json: { templates: rows }, text };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin template list --company "$COMPANY"');
}

function addShow(template: Command, run: Run): void {
  narrowed(template.command("show")).description("show one template with its parts")
    .action((named: string, options: Narrowing) =>
      run(async (session) => {
        const shown = await showTemplate(session, reference(named, options));
        return { json: { ...shown }, text: renderTemplate(shown) };
      })
    )
    .addHelpText(
      "after",
      '\nExample:\n  deno task admin template show order_ready --company "$COMPANY" --language es',
    );
}

function renderTemplate(shown: ShownTemplate): string {
  return renderFields([
    ["template", shown.template_id],
    ["platform id", shown.platform_template_id],
    ["company", shown.company_id],
    ["account", shown.waba_id],
    ["name", shown.name],
    ["language", shown.language],
    ["category", shown.category],
    ["status", shown.status],
    ["since", shown.status_since],
    ["reason", shown.rejected_reason],
    ["quality", shown.quality],
    ["last change", shown.updated_at],
    ["held campaigns", shown.held_campaigns],
    ...shown.components.flatMap(renderComponent),
  ]);
}

function renderComponent(part: ShownTemplate["components"][number]): [string, string][] {
  if (part.buttons === undefined) {
    return [[part.type.toLowerCase(), part.text ?? part.format?.toLowerCase() ?? JSON.stringify(part)]];
  }
  return part.buttons.map(({ type, text, url }) => {
    const kind = type.toLowerCase().replaceAll("_", " ");
    return ["button", [kind, text, url].filter((each) => each !== undefined).join(", ")];
  });
}
