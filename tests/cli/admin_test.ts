import assert from "node:assert/strict";
import { join } from "node:path";
import { withBareDatabase, withTestDatabase } from "../setup/database/database.ts";
import { insertCompany } from "../setup/fixtures/fixtures.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { acceptCampaign } from "./campaign/accept_campaign.ts";
import { type AdminOutcome, runAdmin, runAdminProcess } from "./run_admin.ts";
import { withAuthServer } from "./with_auth_server.ts";

const STACK_TRACE = /\n\s+at |\bfile:\/\/|Error:/;

/** One line on standard error that says `line`, and nothing else. */
function assertRefused(outcome: AdminOutcome, line: RegExp): void {
  assert.equal(outcome.code, 1);
  assert.match(outcome.stderr, line);
  assert.match(outcome.stderr, /^[^\n]+\n$/);
  assert.doesNotMatch(outcome.stderr, STACK_TRACE);
}

Deno.test("admin sets a company up: company, user, key, sender; --json holds the new ids", () =>
  withAuthServer(async ({ sql, url, supabaseUrl, supabaseSecretKey }) => {
    const env = { DATABASE_URL: url, SUPABASE_URL: supabaseUrl, SUPABASE_SECRET_KEY: supabaseSecretKey };

    const company = await runAdminProcess(["company", "create", "--name", "Acme", "--json"], { env });
    const companyId = String(company.json.company_id);
    const user = await runAdminProcess(
      ["user", "create", "--email", "ana@example.test", "--password", "-", "--name", "Ana"].concat(
        ["--company", companyId, "--json"],
      ),
      { env, stdin: "correct horse 1\n" },
    );
    const key = await runAdminProcess(["key", "create", "--company", companyId, "--json"], { env });
    const sender = await runAdminProcess(
      ["sender", "create", "--company", companyId, "--channel", "whatsapp", "--number", "15550001111"].concat(
        ["--platform-id", "1065", "--waba-id", "1022", "--json"],
      ),
      { env: { ...env, OUTBOUND_SENDER_TOKEN: "a-platform-token" } },
    );

    const outcomes = [company, user, key, sender];
    assert.deepEqual(
      outcomes.map(({ code, stderr }) => ({ code, stderr })),
      Array(4).fill({ code: 0, stderr: "" }),
    );
    assert.match(String(key.json.key), /^outbound_/);
    const [stored] = await sql`
      select m.user_id, s.id as sender_id, s.token_sealed, s.rate_per_second
      from outbound.company_members as m join outbound.senders as s using (company_id)
      where company_id = ${companyId}`;
    assert.equal(stored?.user_id, user.json.user_id);
    assert.equal(stored?.sender_id, sender.json.sender_id);
    assert.equal(stored?.rate_per_second, 80);
    assert.ok(stored?.token_sealed && !stored.token_sealed.includes("a-platform-token"));
  }));

Deno.test("admin user: add, list and remove change who belongs to a company", () =>
  withAuthServer(async ({ sql, url, supabaseUrl, supabaseSecretKey }) => {
    const env = { DATABASE_URL: url, SUPABASE_URL: supabaseUrl, SUPABASE_SECRET_KEY: supabaseSecretKey };
    const [first, second] = [(await insertCompany(sql, { name: "A" })).id, (await insertCompany(sql)).id];
    const user = (...args: string[]) => runAdmin(["user", ...args], { env });
    const ana = ["--email", "ana@example.test", "--password", "correct horse 1", "--name", "Ana"];
    await user("create", ...ana, "--company", first);

    const added = await user("add", "Ana@example.test", "--company", first, second, "--json");
    const list = await user("list", "--company", second, "--json");
    const removed = await user("remove", "ana@example.test", "--company", second);
    const table = await user("list");
    const again = await user("remove", "ana@example.test", "--company", second);
    const help = await user("remove", "--help");

    const userId = String(added.json.user_id);
    assert.deepEqual(added.json, { user_id: userId, added: [second] });
    const [member, ...others] = list.json.users as Record<string, unknown>[];
    assert.deepEqual([
      member!.user_id,
      member!.email,
      member!.name,
      member!.state,
      member!.company_id,
      others,
    ], [
      ...[userId, "ana@example.test", "Ana", "active", second, []],
    ]);
    assert.match(removed.stdout, new RegExp(`no longer belongs to ${second}\\. .*owner rotates it`));
    assert.match(table.stdout, new RegExp(`^${userId}  ana@example\\.test  Ana .* ${first}  A$`, "m"));
    assert.doesNotMatch(table.stdout, new RegExp(second));
    assertRefused(again, new RegExp(`^User ana@example\\.test does not belong to company ${second}$`, "m"));
    assert.match(help.stdout, /Example:\n {2}deno task admin user remove /);
  }));

Deno.test("admin key create prints the key alone, and a second create is refused", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const create = (...args: string[]) =>
      runAdmin(["key", "create", ...args, "--company", id], { env: { DATABASE_URL: url } });

    const created = await create("--permissions", "voice_notifications", "--rate-limit", "7");
    const again = await create("--json");

    assert.match(created.stdout, /^outbound_[\w-]{43}\n$/);
    assertRefused(again, /has a key already: its owners rotate it/);
    assert.equal((again.json.error as { code: string }).code, "already_exists");
  }));

Deno.test("admin campaign verify fails when a counter is wrong", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { campaignId } = await acceptCampaign(sql, { notifications: 2 });
    const verify = (...args: string[]) =>
      runAdmin(["campaign", "verify", campaignId, ...args], { env: { DATABASE_URL: url } });

    const verified = await verify();
    await sql`update outbound.campaigns set pending = 1, failed = 1 where id = ${campaignId}`;
    const wrong = await verify("--json");

    assert.deepEqual([verified.code, verified.stderr], [0, ""]);
    assertRefused(wrong, /^The counters are wrong$/m);
    assert.equal(wrong.json.ok, false);
  }));

Deno.test("admin maintenance on and off", () =>
  withTestDatabase(async ({ url }) => {
    const env = { DATABASE_URL: url };

    const on = await runAdmin(["maintenance", "on", "--until", "2099-01-31T18:00Z", "--json"], { env });
    const off = await runAdmin(["maintenance", "off"], { env });

    assert.deepEqual([on.json.on, on.json.until], [true, "2099-01-31T18:00:00.000Z"]);
    assert.equal(off.stdout, "Maintenance is off\n");
  }));

const ID = "0193a1b2-0000-4000-8000-0123456789ab";

Deno.test("admin refuses bad values before it looks for a database, in one line", async () => {
  const cases: [args: string[], line: RegExp][] = [
    [
      ["company", "update", "7", "--api-access", "on"],
      /'7' is invalid for argument 'company-id'\. Expected an id/,
    ],
    [["company", "update", ID, "--api-access", "perhaps"], /--api-access .* Allowed choices are on, off/],
    [["key", "create", "--company", ID, "--rate-limit", "many"], /--rate-limit .* whole number from 1/],
    [["company", "update", ID, "--rate-ceiling", "1.5"], /--rate-ceiling .* whole number from 0/],
    [["maintenance", "on", "--until", "tomorrow"], /--until .* time with its zone/],
    [["company", "create"], /Required option '--name <name>' not specified/],
    [["company", "destroy"], /Unknown command 'destroy'/],
    [["company", "list", "--jsn"], /Unknown option '--jsn' \(Did you mean --json\?\)/],
  ];

  const outcomes = await Promise.all(cases.map(([args]) => runAdmin(args)));

  for (const [index, [, line]] of cases.entries()) assertRefused(outcomes[index]!, line);
});

Deno.test("admin names unknown ids, and refuses an update that changes nothing", () =>
  withTestDatabase(async ({ url }) => {
    const env = { DATABASE_URL: url };

    const unknown = await runAdmin(["key", "create", "--company", ID, "--json"], { env });
    const nothing = await runAdmin(["sender", "update", ID], { env });

    assertRefused(unknown, new RegExp(`^No company with id ${ID}$`, "m"));
    assert.deepEqual(unknown.json, { error: { code: "not_found", message: `No company with id ${ID}` } });
    assertRefused(nothing, /^Nothing to change/);
  }));

Deno.test("admin says what to do without a database, with a dead one, and with one that was not migrated", () =>
  withTempFolder((home) =>
    withBareDatabase(async ({ url }) => {
      const list = (env: Record<string, string>) => runAdmin(["company", "list"], { env });
      const dead = "postgres://user:hunter2@127.0.0.1:9/postgres";
      const stack = join(home, "stack.json");

      const none = await list({ OUTBOUND_HOME: home });
      await Deno.writeTextFile(stack, JSON.stringify({ database_url: dead }));
      const stopped = await list({ OUTBOUND_HOME: home });
      const malformed = await list({ DATABASE_URL: "user:hunter2@db" });
      const bare = await list({ DATABASE_URL: url });

      assertRefused(none, /set DATABASE_URL, or start the embedded stack with "deno task start"/);
      assertRefused(stopped, /127\.0\.0\.1:9 cannot be reached.* is "deno task start" still running\?/);
      assertRefused(malformed, /Missing or malformed settings: DATABASE_URL/);
      assertRefused(bare, /run "deno task migrate" first/);
      for (const { stderr } of [stopped, malformed]) assert.doesNotMatch(stderr, /hunter2/);
    })
  ));

Deno.test("admin finds the embedded stack through OUTBOUND_HOME", () =>
  withTempFolder((home) =>
    withTestDatabase(async ({ sql, url }) => {
      const { id } = await insertCompany(sql, { name: "Of the stack" });
      await Deno.writeTextFile(join(home, "stack.json"), JSON.stringify({ database_url: url }));

      const { json } = await runAdmin(["company", "list", "--json"], { env: { OUTBOUND_HOME: home } });

      const [company] = json.companies as { company_id: string; name: string }[];
      assert.deepEqual([company?.company_id, company?.name], [id, "Of the stack"]);
    })
  ));

Deno.test("admin needs only the settings a command uses, and names the one that is missing", () =>
  withTestDatabase(async ({ url }) => {
    const env = { DATABASE_URL: url, OUTBOUND_SECRETS_KEY: "" };

    const list = await runAdmin(["company", "list"], { env });
    const key = await runAdmin(["key", "create", "--company", ID], { env });
    const user = await runAdmin(
      ["user", "create", "--email", "a@b.test", "--password", "x", "--name", "A", "--company", ID],
      { env },
    );

    assert.equal(list.stdout, "No companies yet\n");
    assertRefused(key, /^OUTBOUND_SECRETS_KEY is not set/);
    assertRefused(user, /^SUPABASE_URL is not set/);
  }));

Deno.test("admin --help shows the commands, and each command its options and an example", async () => {
  const nouns = ["company", "user", "key", "sender", "template", "agent", "campaign", "maintenance"];

  const [whole, create] = await Promise.all([runAdmin(["--help"]), runAdmin(["sender", "create", "--help"])]);

  assert.deepEqual([whole.code, create.code, whole.stderr, create.stderr], [0, 0, "", ""]);
  for (const noun of nouns) assert.match(whole.stdout, new RegExp(`^  ${noun} `, "m"));
  assert.match(create.stdout, /--token <token>[^]*?OUTBOUND_SENDER_TOKEN/);
  assert.match(create.stdout, /Examples:\n {2}deno task admin sender create /);
});

Deno.test("admin escapes control characters in every command; --json keeps them exactly", () =>
  withTestDatabase(async ({ sql, url }) => {
    const evil = "hi \x1b]52;c;ZXZpbA==\x07\x9b2J\u202e";
    await sql`insert into outbound.companies (name) values (${evil})`;
    const admin = (...args: string[]) => runAdmin(args, { env: { DATABASE_URL: url } });

    const shown = await admin("company", "list");
    const json = await admin("company", "list", "--json");
    const mistyped = await admin("company", evil);

    for (const { stdout, stderr } of [shown, json, mistyped]) {
      assert.doesNotMatch(stdout + stderr, /[^\P{Cc}\n]|\u202e/u);
    }
    assert.match(shown.stdout, /hi <U\+001B>\]52;c;ZXZpbA==<U\+0007><U\+009B>2J<U\+202E>/);
    assert.equal((json.json.companies as { name: string }[])[0]!.name, evil);
    assert.match(mistyped.stderr, /<U\+001B>/);
  }));

Deno.test("admin refuses control characters in names", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id: companyId } = await insertCompany(sql);
    const admin = (...args: string[]) => runAdmin(args, { env: { DATABASE_URL: url } });
    const company = ["--company", companyId];
    const sender = ["--channel", "voice", "--number", "15550001111", "--platform-id", "x\x1b"];

    const refused = await Promise.all([
      admin("company", "create", "--name", "Acme\x1b[2J"),
      admin("agent", "share", ...company, "--platform-agent-id", "agent_1", "--name", "Ana\nBot"),
      admin("sender", "create", ...company, ...sender),
    ]);

    for (const { code, stderr } of refused) {
      assert.deepEqual([code, /text without control characters\n$/.test(stderr)], [1, true], stderr);
    }
  }));

Deno.test("admin refuses a database that a pre-release version made with one line", () =>
  withTestDatabase(async ({ sql, url }) => {
    await sql`insert into supabase_migrations.schema_migrations (version) values ('20261121000100')`;

    const outcome = await runAdmin(["company", "list"], { env: { DATABASE_URL: url } });

    assertRefused(outcome, /^This database was made by a pre-release version: .* 20261121000100, /);
  }));
