import { type Command, Option } from "commander";
import { addUser } from "../actions/add_user.ts";
import { createUser } from "../actions/create_user.ts";
import { listUsers, type MemberRow } from "../actions/list_users.ts";
import { removeUser } from "../actions/remove_user.ts";
import type { Session } from "../connection/session.ts";
import { type Column, renderTable } from "../output/render_table.ts";
import { snakeKeys } from "../output/snake_keys.ts";
import type { Answer, Run } from "./answer.ts";
import { readSecret } from "./values/read_secret.ts";
import { uuid } from "./values/uuid.ts";

const EXAMPLES = `
Examples:
  deno task admin user create --email ana@acme.test --password - --name "Ana" --company "$COMPANY" < password.txt
  OUTBOUND_USER_PASSWORD=… deno task admin user create --email ana@acme.test --name "Ana" --company "$COMPANY"`;

const COLUMNS: Column<MemberRow>[] = [
  ["USER", (row) => row.userId],
  ["E-MAIL", (row) => row.email],
  ["NAME", (row) => row.name],
  ["STATE", (row) => row.state],
  ["LAST LOG-IN", (row) => row.lastSignInAt],
  ["COMPANY", (row) => row.companyId],
  ["COMPANY NAME", (row) => row.companyName],
];

/** `user create | list | add | remove`. */
export function addUserCommands(program: Command, run: Run): void {
  const user = program.command("user").description("people who log in, and the companies they belong to");
  addCreate(user, run);
  addList(user, run);
  addAdd(user, run);
  addRemove(user, run);
}

function companies(command: Command, description: string): Command {
  return command.requiredOption(
    "--company <id...>",
    description,
    (value: string, earlier: string[] = []) => [...earlier, uuid(value)],
  );
}

interface CreateOptions {
  email: string;
  password: string;
  name: string;
  company: string[];
}

function addCreate(user: Command, run: Run): void {
  const create = user.command("create")
    .description("make a user of the auth server, or take one it has, and let them into companies")
    .requiredOption("--email <email>", "what they log in with")
    .addOption(
      new Option("--password <password>", "- reads it from standard input").env("OUTBOUND_USER_PASSWORD")
        .makeOptionMandatory(),
    )
    .requiredOption("--name <name>", "shown to others");
  companies(create, "companies they belong to")
    .action((options: CreateOptions) => run((session) => createFrom(session, options)))
    .addHelpText("after", EXAMPLES);
}

async function createFrom(session: Session, options: CreateOptions): Promise<Answer> {
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

function addList(user: Command, run: Run): void {
  user.command("list").description("who belongs to which company, one line per membership")
    .option("--company <id>", "only of this company", uuid)
    .action(({ company }: { company?: string }) =>
      run(async (session) => {
        const rows = await listUsers({ sql: session.sql, ...session.authServer() }, { companyId: company });
        return { json: { users: rows.map(snakeKeys) }, text: renderTable(COLUMNS, rows, "No users yet") };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin user list --company "$COMPANY"');
}

function addAdd(user: Command, run: Run): void {
  const add = user.command("add").description("let a user into more companies")
    .argument("<user>", "their id or e-mail");
  companies(add, "companies they belong to from now on")
    .action((name: string, { company }: { company: string[] }) =>
      run(async (session) => {
        const result = await addUser({ sql: session.sql, ...session.authServer() }, {
          user: name,
          companyIds: company,
        });
        const text = result.added.length > 0
          ? `User ${name} now belongs to ${result.added.join(", ")}`
          : `User ${name} belonged to all of them already`;
        return { json: snakeKeys(result), text };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin user add ana@acme.test --company "$COMPANY"');
}

function addRemove(user: Command, run: Run): void {
  const remove = user.command("remove")
    .description("take a user out of companies; they can still log in, and no longer see the companies' keys")
    .argument("<user>", "their id or e-mail");
  companies(remove, "companies they no longer belong to")
    .action((name: string, { company }: { company: string[] }) =>
      run(async ({ sql, authServer }) => {
        const result = await removeUser({ sql, authServer }, { user: name, companyIds: company });
        const text = `User ${name} no longer belongs to ${result.removed.join(", ")}. ` +
          `They may have kept a copy of the key: "key rotate" ends it`;
        return { json: snakeKeys(result), text };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin user remove ana@acme.test --company "$COMPANY"');
}
