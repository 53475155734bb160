import { type Command, Option } from "commander";
import {
  CONTACT_CATEGORIES,
  CONTACT_CHANNELS,
} from "../../supabase/functions/_shared/db/contacts/contacts.ts";
import type { Run } from "../session.ts";
import { instant, uuid } from "../terminal/values.ts";
import { type EvidenceOptions, type ScopeOptions, suppressContact, unsuppress } from "./actions.ts";

/** `contact suppress | unsuppress`. */
export function addContactCommands(program: Command, run: Run): void {
  const contact = program.command("contact")
    .description("keep companies from writing to a person; only an operator lifts that");
  addSuppress(contact, run);
  addUnsuppress(contact, run);
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
