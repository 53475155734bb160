import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { applyMigrations } from "../../../cli/migrations/apply.ts";
import { readMigrations } from "../../../cli/migrations/read.ts";
import { blocksOf, readPage } from "../../docs/read_page.ts";
import { clusterSettings, programIsMissing, withOwnCluster } from "../../faults/database/own_cluster.ts";
import { underLoad } from "../../faults/load.ts";
import { withFaults } from "../../faults/with_faults.ts";
import { type PlainRoles, withPlainRoles } from "../../setup/database/plain_roles.ts";
import { withBarePostgresDatabase } from "../../setup/database/postgres_database.ts";
import { SETTINGS } from "../service/production_settings.ts";
import { endedCommand, runCommand } from "../service/run_command.ts";
import { withMigrations } from "./with_migrations.ts";

/** Calls `fn` after the command has migrated as the owner, and granted the service's role its rights. */
async function withGrants(fn: (roles: PlainRoles) => Promise<void>): Promise<void> {
  await withBarePostgresDatabase((database) =>
    withPlainRoles(database, async (roles) => {
      const ended = await migrate(roles);
      assert.deepEqual([ended.code, ended.stderr], [0, ""]);
      await fn(roles);
    })
  );
}

function migrate({ ownerUrl, service }: PlainRoles) {
  return endedCommand("migrate", { DATABASE_URL: ownerUrl }, ["--grant-to", service]);
}

async function withRole(url: string, fn: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await fn(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

Deno.test("the service sends, with dispatchers of its own, as the role that migrate --grant-to names", () =>
  withGrants((roles) =>
    withFaults((t) =>
      underLoad(t, {
        test: "a plain role, and another migrate --grant-to under load",
        fault: async () =>
          assert.equal((await migrate(roles)).stdout, "Nothing to apply: the database is up to date\n"),
      }), { databaseUrl: roles.serviceUrl, ratePerSecond: 400 })
  ));

Deno.test("serve starts as that role, and stops", () =>
  withGrants(async ({ serviceUrl }) => {
    const serve = await runCommand("serve", { ...SETTINGS, DATABASE_URL: serviceUrl }, /^Listening/);

    assert.equal(await serve.stop("SIGTERM"), 0);
    assert.doesNotMatch(serve.output, /permission denied/);
  }));

Deno.test("that role reads and writes every table, and calls every function", () =>
  withGrants(({ serviceUrl }) =>
    withRole(serviceUrl, async (sql) => {
      const [lacking] = await sql`
        select
          (select array_agg(c.relname) from pg_class as c, unnest('{select,insert,update,delete}'::text[]) as right_(name)
            where c.relnamespace = 'outbound'::regnamespace and c.relkind in ('r', 'v')
              and not has_table_privilege(c.oid, name)) as tables,
          (select array_agg(c.relname) from pg_class as c
            where c.relnamespace = 'outbound'::regnamespace and c.relkind = 'r' and not exists (
              select from pg_policy as p where p.polrelid = c.oid and p.polcmd = '*'
                and current_user::regrole::oid = any (p.polroles)
            )) as policies,
          (select array_agg(f.proname) from pg_proc as f
            where f.pronamespace = 'outbound'::regnamespace and not has_function_privilege(f.oid, 'execute')) as functions`;

      assert.deepEqual(lacking, { tables: null, policies: null, functions: null });
    })
  ));

const REFUSED = {
  "drop a table": "drop table outbound.campaigns",
  "change a table": "alter table outbound.campaigns add column more int",
  "switch row level security off": "alter table outbound.campaigns disable row level security",
  "empty a table": "truncate outbound.audit_log",
  "make a table": "create table outbound.more ()",
  "replace a function": "create or replace function outbound.max_attempts() returns int return 1",
  "drop the schema": "drop schema outbound cascade",
  "say that it was migrated": "insert into supabase_migrations.schema_migrations values ('1')",
  "read the server's files": "select pg_read_file('postgresql.conf')",
  "grant itself more": "select outbound.grant_service('public')",
};

Deno.test(`that role cannot ${Object.keys(REFUSED).join(", ")}`, () =>
  withGrants(({ serviceUrl }) =>
    withRole(serviceUrl, async (sql) => {
      for (const statement of Object.values(REFUSED)) {
        await assert.rejects(sql.unsafe(statement), { code: "42501" }, statement);
      }
    })
  ));

Deno.test("the grants hold in the transaction of each later migration, for new tables and replaced functions", async () => {
  const [baseline] = await readMigrations();
  await withMigrations(
    { [baseline!.file]: baseline!.text },
    ({ sql, url, directory, add }) =>
      withPlainRoles({ sql, url }, async ({ ownerUrl, service, serviceUrl }) => {
        await withRole(ownerUrl, async (owner) => {
          await applyMigrations(owner, { directory, grantTo: service });
          await add(directory, {
            "20300101000000_more.sql": `
            create table outbound.more (n int);
            alter table outbound.more enable row level security;
            drop function outbound.max_attempts();
            create function outbound.max_attempts() returns bigint return 5;
            revoke execute on function outbound.max_attempts from public;`,
            "20300102000000_fails.sql": "select 1 / 0",
          });

          await assert.rejects(applyMigrations(owner, { directory, grantTo: service }), /division by zero/);
        });

        await withRole(serviceUrl, async (role) => {
          await role`insert into outbound.more values (1)`;
          assert.deepEqual([...await role`select outbound.max_attempts() + n as sum from outbound.more`], [{
            sum: "6",
          }]);
        });
      }),
  );
});

Deno.test("the documented roles can be made by an administrator who is no superuser, as managed databases have", () =>
  withOwnCluster(async ({ url }) => {
    const [, section] = (await readPage("docs/operations.md")).split("### Roles\n");
    const [block] = blocksOf(section!);
    await withRole(url, (sql) => sql`create role administrator login createrole createdb`);
    const at = (role: string, database: string) =>
      Object.assign(new URL(url), { username: role, pathname: `/${database}` }).href;

    await withRole(at("administrator", "postgres"), async (sql) => {
      for (const statement of block!.lines) await sql.unsafe(statement);
    });

    const ended = await endedCommand("migrate", { DATABASE_URL: at("outbound_owner", "outbound") }, [
      ...["--grant-to", "outbound_service"],
    ]);
    assert.deepEqual([ended.code, ended.stderr], [0, ""]);
    await withRole(at("outbound_service", "outbound"), async (sql) => {
      assert.deepEqual([...await sql`select count(*)::int as n from outbound.webhook_probe`], [{ n: 1 }]);
    });
  }));

Deno.test("the script of compose's database makes a role that is no superuser", () =>
  withOwnCluster(async ({ url, folder }) => {
    if (programIsMissing("service_role.sh", "psql")) return;
    const server = new URL(url);
    const { success, stderr } = await new Deno.Command("sh", {
      args: [fileURLToPath(new URL("../../../ops/postgres/service_role.sh", import.meta.url))],
      env: {
        PATH: `${clusterSettings().binaries.folder}:${Deno.env.get("PATH")}`,
        ...{ PGHOST: folder, PGPORT: server.port, POSTGRES_USER: "postgres", POSTGRES_DB: "postgres" },
        SERVICE_PASSWORD: "it's",
      },
    }).output();

    assert.ok(success, new TextDecoder().decode(stderr));
    await withRole(url, async (sql) => {
      const [role] = await sql`
        select rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolpassword like 'SCRAM%' as hashed
        from pg_authid where rolname = 'outbound_service'`;
      assert.deepEqual(role, {
        ...{
          rolcanlogin: true,
          rolsuper: false,
          rolbypassrls: false,
          rolcreaterole: false,
          rolcreatedb: false,
        },
        hashed: true,
      });
    });
  }));

Deno.test("migrate fails with one line where the role does not exist", () =>
  withBarePostgresDatabase(async ({ url }) => {
    const ended = await endedCommand("migrate", { DATABASE_URL: url }, ["--grant-to", "nobody_there"]);

    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /^.*role "nobody_there" does not exist.*\n$/);
  }));
