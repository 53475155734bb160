import { IMPORT_KINDS } from "../../supabase/functions/_shared/contacts/import_ledger.ts";
import { type Command, Option } from "commander";
import {
  type ConsentRow,
  readConsents,
  readSuppressions,
  type SuppressionRow,
} from "../../supabase/functions/_shared/db/contacts/contact_ledger.ts";
import {
  CONTACT_CATEGORIES,
  CONTACT_CHANNELS,
  CONTACT_SOURCES,
} from "../../supabase/functions/_shared/db/contacts/contacts.ts";
import { CommandError } from "../errors/command_error.ts";
import { requireCompanies } from "../errors/refusals.ts";
import { type Column, renderFields, renderTable } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { instant, uuid, wholeNumber } from "../terminal/values.ts";
import {
  erasePerson,
  type EvidenceOptions,
  exportPerson,
  type PersonKeyOptions,
  type PersonOptions,
  recordConsent,
  type ScopeOptions,
  suppressContact,
  unsuppress,
} from "./actions.ts";
import { addImport } from "./import_command.ts";

const SUPPRESSIONS: Column<SuppressionRow>[] = [
  ["ADDRESS", (row) => row.address],
  ["CHANNEL", (row) => row.channel],
  ["CATEGORY", (row) => row.category],
  ["SOURCE", (row) => row.source],
  ["AT", (row) => row.at],
  ["LIFTED", (row) => row.lifted_at],
  ["LIFTED BY", (row) => row.lifted_by],
];

const CONSENTS: Column<ConsentRow>[] = [
  ["ADDRESS", (row) => row.address],
  ["CHANNEL", (row) => row.channel],
  ["CATEGORY", (row) => row.category],
  ["STATUS", (row) => row.status],
  ["METHOD", (row) => row.method],
  ["CONSENTED", (row) => row.consented_at],
  ["SOURCE", (row) => row.source],
];

/** `contact suppress | unsuppress | list | import | consent | export | erase`. */
export function addContactCommands(program: Command, run: Run): void {
  const contact = program.command("contact")
    .description("manage who may be written to, and what is known about a person");
  addSuppress(contact, run);
  addUnsuppress(contact, run);
  addList(contact, run);
  addImport(contact, run);
  addConsent(contact, run);
  addExport(contact, run);
  addErase(contact, run);
}

/** A command about one person of a company. */
function aboutPerson(contact: Command, name: string, description: string, example = ""): Command {
  return contact.command(name).description(description)
    .requiredOption("--company <id>", "the company", uuid)
    .option("--number <digits>", "the person's number: country code first, digits only")
    .option("--user-id <id>", "the person's user id at the platform, such as ES.1349")
    .addHelpText(
      "after",
      `\nExample:\n  deno task admin contact ${name} --company "$COMPANY" --number 34600111222${example}`,
    );
}

function withScope(command: Command): Command {
  return command
    .addOption(new Option("--channel <name>", "which channel").choices([...CONTACT_CHANNELS]).default("any"))
    .addOption(
      new Option("--category <name>", "marketing, or all messages").choices([...CONTACT_CATEGORIES])
        .default("marketing"),
    )
    .option("--detail <text>", "where it was said, and in which words");
}

function addSuppress(contact: Command, run: Run): void {
  withScope(aboutPerson(contact, "suppress", "record that a person does not want to be written to"))
    .action((options: ScopeOptions) =>
      run(async (session) => {
        const added = await suppressContact(session, options);
        return { json: { added }, text: added ? "Suppressed" : "Was suppressed in this way already" };
      })
    );
}

function addUnsuppress(contact: Command, run: Run): void {
  const command = aboutPerson(
    contact,
    "unsuppress",
    "lift what operators, the API or imports suppressed; a person's own opt-out needs evidence",
    " --method paper --consented-at 2026-11-01T09:00Z",
  );
  withScope(command)
    .option("--method <text>", "how the person agreed again: website, paper, call")
    .option("--consented-at <time>", "when, with the zone", instant)
    .action((options: EvidenceOptions) =>
      run(async (session) => {
        const { lifted, kept } = await unsuppress(session, options);
        const rest = kept.length > 0 ? `; still suppressed by: ${kept.join(", ")}` : "";
        return { json: { lifted, still_suppressed_by: kept }, text: `Lifted: ${lifted}${rest}` };
      })
    );
}

function addConsent(contact: Command, run: Run): void {
  const command = aboutPerson(
    contact,
    "consent",
    "record that a person agreed to be written to, or took it back",
    " --method paper --consented-at 2026-11-01T09:00Z",
  );
  withScope(command)
    .requiredOption("--method <text>", "how: website, paper, call")
    .requiredOption("--consented-at <time>", "when, with the zone", instant)
    .option("--withdrawn", "the person took it back")
    .action((options: EvidenceOptions & { withdrawn?: boolean }) =>
      run(async ({ sql, sealer }) => {
        const { added, kept } = await recordConsent({ sql, sealer: sealer() }, options);
        const rest = kept.length > 0 ? `; still suppressed by: ${kept.join(", ")}` : "";
        return {
          json: { added, still_suppressed_by: kept },
          text: `${added ? "Recorded" : "Was recorded already"}${rest}`,
        };
      })
    );
}

interface ListOptions extends PersonOptions {
  kind: typeof IMPORT_KINDS[number];
  channel?: typeof CONTACT_CHANNELS[number];
  source?: typeof CONTACT_SOURCES[number];
  lifted?: boolean;
  after?: string;
  limit: number;
}

function addList(contact: Command, run: Run): void {
  aboutPerson(contact, "list", "list suppressions or consents, the newest first")
    .addOption(new Option("--kind <kind>", "what to list").choices(IMPORT_KINDS).default("suppressions"))
    .addOption(new Option("--channel <name>", "only this channel").choices([...CONTACT_CHANNELS]))
    .addOption(new Option("--source <name>", "only suppressions by this").choices([...CONTACT_SOURCES]))
    .option("--lifted", "also suppressions that were lifted")
    .option("--after <id>", "go on after the page that ended with this next", uuid)
    .option("--limit <n>", "how many", wholeNumber(1), 100)
    .action(({ company: companyId, userId: user_id, kind, lifted = false, ...query }: ListOptions) =>
      run(async ({ sql }) => {
        await requireCompanies(sql, companyId);
        const page = { ...query, companyId, user_id };
        const [rows, text] = kind === "consents"
          ? tableOf(CONSENTS, await readConsents(sql, page), "No consents")
          : tableOf(SUPPRESSIONS, await readSuppressions(sql, { ...page, lifted }), "No suppressions");
        const next = rows.length < query.limit ? null : rows.at(-1)!.id;
        return { json: { [kind]: rows, next }, text };
      })
    );
}

function tableOf<Row extends { id: string }>(
  columns: Column<Row>[],
  rows: Row[],
  whenEmpty: string,
): [Row[], string] {
  return [[...rows], renderTable(columns, rows, whenEmpty)];
}

function withContact(command: Command): Command {
  return command.option(
    "--contact-id <id>",
    "the person's contact, in place of a number and a user id",
    uuid,
  );
}

function addExport(contact: Command, run: Run): void {
  withContact(aboutPerson(contact, "export", "print everything that is known about a person, as JSON"))
    .action((options: PersonKeyOptions) =>
      run(async (session) => {
        const text = await exportPerson(session, options);
        return { json: JSON.parse(text), text };
      })
    );
}

function addErase(contact: Command, run: Run): void {
  withContact(
    aboutPerson(contact, "erase", "erase what is known about a person, who stays suppressed", " --yes"),
  )
    .option("--yes", "do it: nothing brings it back")
    .action(({ yes, ...options }: PersonKeyOptions & { yes?: boolean }) =>
      run(async ({ sql, sealer }) => {
        if (!yes) throw new CommandError("usage", "Nothing brings back what is erased: add --yes to do it");
        const counts = await erasePerson({ sql, sealer: sealer() }, options);
        return { json: { erased: counts }, text: renderFields(Object.entries(counts)) };
      })
    );
}
