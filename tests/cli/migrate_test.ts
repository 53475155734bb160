import assert from "node:assert/strict";
import { endedCommand } from "./service/run_command.ts";
import { withBareDatabase, withTestDatabase } from "../setup/database/database.ts";

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command as a user would, with nothing but these variables. */
async function migrate(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return await endedCommand("migrate", env, args);
}

Deno.test("migrate prints each file it applies, and that there is nothing left the second time", () =>
  withBareDatabase(async ({ url }) => {
    const first = await migrate([], { DATABASE_URL: url });
    const second = await migrate([], { DATABASE_URL: url });

    assert.match(first.stdout, /^(applied \d{14}_\w+\.sql\n)+$/);
    assert.deepEqual(second, {
      code: 0,
      stdout: "Nothing to apply: the database is up to date\n",
      stderr: "",
    });
  }));

Deno.test("migrate leaves a database alone that a later version has migrated, and says so", () =>
  withTestDatabase(async ({ sql, url }) => {
    await sql`insert into supabase_migrations.schema_migrations (version) values ('29990101000000'), ('29990102000000')`;

    const { code, stdout, stderr } = await migrate([], { DATABASE_URL: url });
    const json = await migrate(["--json"], { DATABASE_URL: url });

    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    assert.equal(
      stdout,
      "Nothing to apply: the database is up to date\n" +
        "Its history goes on to 29990102000000: 2 migrations of a later version, or of another project\n",
    );
    assert.deepEqual(JSON.parse(json.stdout), { applied: [], later: ["29990101000000", "29990102000000"] });
  }));

Deno.test("migrate --json prints one object", () =>
  withBareDatabase(async ({ url }) => {
    const { code, stdout } = await migrate(["--json"], { DATABASE_URL: url });

    assert.equal(code, 0);
    assert.ok(JSON.parse(stdout).applied.length > 0);
  }));

for (
  const [name, args, env, line] of [
    ["without DATABASE_URL", [], {}, /^DATABASE_URL is not set: .*\n$/],
    [
      "on a database that is not there",
      [],
      { DATABASE_URL: "postgres://u:secret@127.0.0.1:1/x" },
      /^The database at 127\.0\.0\.1:1 cannot be reached: nothing listens there\n$/,
    ],
    ["on something that is no URL", [], { DATABASE_URL: "host=secret" }, /^DATABASE_URL is not a URL .*\n$/],
    ["on an unknown option", ["--fast"], {}, /^Unknown option '--fast'. Try --help\n$/],
  ] as const
) {
  Deno.test(`migrate fails with one line ${name}`, async () => {
    const { code, stdout, stderr } = await migrate([...args], env);

    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(stderr, line);
    assert.doesNotMatch(stderr, /secret/);
  });
}

Deno.test("migrate refuses a database that a pre-release version made with one line", () =>
  withTestDatabase(async ({ sql, url }) => {
    await sql`insert into supabase_migrations.schema_migrations (version) values ('20261121000100')`;

    const { code, stdout, stderr } = await migrate([], { DATABASE_URL: url });

    assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
    assert.match(stderr, /^This database was made by a pre-release version: .* 20261121000100, .*\n$/);
  }));

Deno.test("migrate --help explains itself", async () => {
  const { code, stdout } = await migrate(["--help"]);

  assert.equal(code, 0);
  assert.match(stdout, /^Usage: deno task migrate/);
});
