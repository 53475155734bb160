import { type Command, Option } from "commander";
import { createUser } from "../actions/create_user.ts";
import type { Session } from "../connection/session.ts";
import type { Answer, Run } from "./answer.ts";
import { readSecret } from "./values/read_secret.ts";
import { uuid } from "./values/uuid.ts";

const EXAMPLES = `
Examples:
  deno task admin user create --email ana@acme.test --password - --name "Ana" --company "$COMPANY" < password.txt
  OUTBOUND_USER_PASSWORD=… deno task admin user create --email ana@acme.test --name "Ana" --company "$COMPANY"`;

interface Options {
  email: string;
  password: string;
  name: string;
  company: string[];
}

/** `user create`. */
export function addUserCommands(program: Command, run: Run): void {
  const user = program.command("user").description("people who log in");
  user.command("create")
    .description("make a user of the auth server, or take one it has, and let them into companies")
    .requiredOption("--email <email>", "what they log in with")
    .addOption(
      new Option("--password <password>", "- reads it from standard input").env("OUTBOUND_USER_PASSWORD")
        .makeOptionMandatory(),
    )
    .requiredOption("--name <name>", "shown to others")
    .requiredOption(
      "--company <id...>",
      "companies they belong to",
      (value: string, earlier: string[] = []) => [...earlier, uuid(value)],
    )
    .action((options: Options) => run((session) => create(session, options)))
    .addHelpText("after", EXAMPLES);
}

async function create(session: Session, options: Options): Promise<Answer> {
  const { userId, created } = await createUser({ sql: session.sql, ...session.authServer() }, {
    email: options.email,
    password: await readSecret("--password", options.password),
    name: options.name,
    companyIds: options.company,
  });
  const text = created
    ? `User ${options.email} made: ${userId}`
    : `User ${options.email} was there already (name and password left as they are) and is now a member: ${userId}`;
  return { json: { user_id: userId, created }, text };
}
