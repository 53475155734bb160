import { type Command, Option } from "commander";
import { type Role, ROLES } from "../../supabase/functions/_shared/access/roles.ts";
import { listRows } from "../terminal/list_rows.ts";
import { type Column, snakeKeys } from "../terminal/render.ts";
import type { CommandOutput, Run, Session } from "../session.ts";
import { readSecret, uuid } from "../terminal/values.ts";
import { addUser, createUser, listUsers, type MemberRow, removeUser, setUserRole } from "./actions.ts";

const EXAMPLES = `
Examples:
  deno task admin user create --email ana@acme.test --password - --name "Ana" --company "$COMPANY" < password.txt
  OUTBOUND_USER_PASSWORD=… deno task admin user create --email ana@acme.test --name "Ana" --company "$COMPANY"`;

const COLUMNS: Column<MemberRow>[] = [
  ["USER", (row) => row.user_id],
  ["E-MAIL", (row) => row.email],
  ["NAME", (row) => row.name],
  ["STATE", (row) => row.state],
  ["LAST LOG-IN", (row) => row.lastSignInAt],
  ["ROLE", (row) => row.role],
  ["COMPANY", (row) => row.company_id],
  ["COMPANY NAME", (row) => row.company_name],
];

/** `user create | list | add | role | remove`. */
export function addUserCommands(program: Command, run: Run): void {
  const user = program.command("user").description("manage the people who log in, and their companies");
  addCreate(user, run);
  addList(user, run);
  addAdd(user, run);
  addRole(user, run);
  addRemove(user, run);
}

function companies(command: Command, description: string): Command {
  return command.requiredOption(
    "--company <id...>",
    description,
    (value: string, earlier: string[] = []) => [...earlier, uuid(value)],
  );
}

function role(): Option {
  return new Option("--role <role>", "what they may do there").choices(ROLES);
}

interface CreateOptions {
  email: string;
  password: string;
  name: string;
  company: string[];
  role: Role;
}

function addCreate(user: Command, run: Run): void {
  const create = user.command("create")
    .description("create a user, or take an existing one, and add them to companies")
    .requiredOption("--email <email>", "the e-mail they log in with")
    .addOption(
      new Option("--password <password>", "the password; - reads standard input").env(
        "OUTBOUND_USER_PASSWORD",
      )
        .makeOptionMandatory(),
    )
    .requiredOption("--name <name>", "the name shown to others")
    .addOption(role().default("owner"));
  companies(create, "companies to add them to")
    .action((options: CreateOptions) => run((session) => createFrom(session, options)))
    .addHelpText("after", EXAMPLES);
}

async function createFrom(session: Session, options: CreateOptions): Promise<CommandOutput> {
  const { userId, created } = await createUser({ sql: session.sql, ...session.authServer() }, {
    email: options.email,
    password: await readSecret("--password", options.password),
    name: options.name,
    companyIds: options.company,
    role: options.role,
  });
  const text = created
    ? `User ${options.email} created: ${userId}`
    : `User ${options.email} exists already, keeps name and password, and is now a member: ${userId}`;
  return { json: { user_id: userId, created }, text };
}

function addList(user: Command, run: Run): void {
  user.command("list").description("list users, one line per company they belong to")
    .option("--company <id>", "only this company's", uuid)
    .action(({ company }: { company?: string }) =>
      run((session) =>
        listRows(session, {
          name: "users",
          columns: COLUMNS,
          whenEmpty: "No users yet",
          companyId: company,
          read: ({ sql, authServer }) => listUsers({ sql, ...authServer() }, { companyId: company }),
        })
      )
    )
    .addHelpText("after", '\nExample:\n  deno task admin user list --company "$COMPANY"');
}

function addAdd(user: Command, run: Run): void {
  const add = user.command("add").description("add a user to more companies")
    .argument("<user>", "the user's id or e-mail")
    .addOption(role().default("owner"));
  companies(add, "companies to add them to")
    .action((name: string, { company, role }: { company: string[]; role: Role }) =>
      run(async (session) => {
        const result = await addUser({ sql: session.sql, ...session.authServer() }, {
          user: name,
          companyIds: company,
          role,
        });
        const text = result.added.length > 0
          ? `User ${name} now belongs to ${result.added.join(", ")}`
          : `User ${name} belongs to all of them already`;
        return { json: snakeKeys(result), text };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin user add ana@acme.test --company "$COMPANY"');
}

function addRole(user: Command, run: Run): void {
  const change = user.command("role").description("change what a user may do in companies they belong to")
    .argument("<user>", "the user's id or e-mail")
    .addOption(role().makeOptionMandatory());
  companies(change, "companies where the role changes")
    .action((name: string, { company, role }: { company: string[]; role: Role }) =>
      run(async ({ sql, authServer }) => {
        const result = await setUserRole({ sql, authServer }, { user: name, companyIds: company, role });
        return { json: snakeKeys(result), text: `User ${name} is now ${role} of ${company.join(", ")}` };
      })
    )
    .addHelpText(
      "after",
      '\nExample:\n  deno task admin user role ana@acme.test --role operator --company "$COMPANY"',
    );
}

function addRemove(user: Command, run: Run): void {
  const remove = user.command("remove")
    .description("remove a user from companies; they can still log in, but no longer see the companies' keys")
    .argument("<user>", "the user's id or e-mail");
  companies(remove, "companies to remove them from")
    .action((name: string, { company }: { company: string[] }) =>
      run(async ({ sql, authServer }) => {
        const result = await removeUser({ sql, authServer }, { user: name, companyIds: company });
        const text = `User ${name} no longer belongs to ${result.removed.join(", ")}. ` +
          `They may have kept a copy of the key: an owner rotates it`;
        return { json: snakeKeys(result), text };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin user remove ana@acme.test --company "$COMPANY"');
}
