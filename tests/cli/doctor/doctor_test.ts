import assert from "node:assert/strict";
import type postgres from "postgres";
import { checkDatabase, serverFindings } from "../../../cli/doctor/check_database.ts";
import { checkSenders } from "../../../cli/doctor/check_senders.ts";
import type { Finding } from "../../../cli/doctor/finding.ts";
import { isSecretsKeyRight } from "../../../supabase/functions/_shared/access/secrets_canary.ts";
import { createSealer } from "../../../supabase/functions/_shared/crypto/seal.ts";
import { connect } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { withProduction } from "../../deploy/production_walk.ts";
import { type TestDatabase, withBareDatabase, withTestDatabase } from "../../setup/database/database.ts";
import { insertCompany, insertSender, insertVoiceSender } from "../../setup/fixtures/fixtures.ts";
import { withSandbox } from "../../setup/stack/sandbox.ts";
import { TEST_ENV } from "../../setup/stack/services.ts";
import { endedCommand, runCommand } from "../service/run_command.ts";
import { envOf } from "./env_of.ts";

/** The finding of one check, as `state: text`. */
function stateOf(findings: Finding[], check: string): string | undefined {
  const found = findings.find((finding) => finding.check === check);
  return found && `${found.state}: ${found.text}`;
}

const FACTS = {
  version: 150_012,
  read_only: false,
  now: new Date(),
  size_bytes: 1,
  oldest_snapshot_s: 0,
  cron: null,
};

for (
  const [what, facts, clockOffMs, check, expected] of [
    ["an old server", { version: 140_005 }, 0, "database", "failed: Postgres 14.5 is too old"],
    ["a replica", { read_only: true }, 0, "database", "failed: Postgres 15.12 takes no writes"],
    ["a clock that is behind", {}, -2500, "clock", "warning: this machine is 2.5 s behind the database"],
    [
      "a forgotten transaction",
      { oldest_snapshot_s: 301 },
      0,
      "snapshots",
      "warning: the oldest transaction is 301 s old: vacuum removes no dead row since",
    ],
  ] as const
) {
  Deno.test(`serverFindings() finds ${what}, and nothing else`, () => {
    const findings = serverFindings({ ...FACTS, ...facts }, clockOffMs);

    assert.equal(stateOf(findings, check), expected);
    assert.equal(findings.filter(({ state }) => state !== "ok").length, 1);
  });
}

Deno.test("checkDatabase() finds a database that cannot be reached, and keeps its password to itself", async () => {
  const url = "postgres://u:database-password@127.0.0.1:1/x";
  const sql = connect(url, { max: 1 });

  const { findings, isUsable } = await checkDatabase(sql, envOf(url));

  assert.equal(isUsable, false);
  assert.equal(
    stateOf(findings, "database"),
    "failed: The database at 127.0.0.1:1 cannot be reached: nothing listens there",
  );
  assert.doesNotMatch(JSON.stringify(findings), /database-password/);
  await sql.end();
});

Deno.test("checkDatabase() finds migrations that are pending", () =>
  withBareDatabase(async ({ sql, url }: TestDatabase) => {
    const { findings, isUsable } = await checkDatabase(sql, envOf(url));

    assert.equal(isUsable, false);
    assert.match(stateOf(findings, "migrations")!, /^failed: \d+ pending, from \d{14}_\w+\.sql on$/);
  }));

Deno.test("checkDatabase() finds that nothing was sealed and that no dispatcher runs, and seals nothing itself", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { findings, isUsable } = await checkDatabase(sql, envOf(url));

    assert.equal(isUsable, true);
    assert.equal(stateOf(findings, "secrets key"), "warning: no process has sealed anything yet");
    assert.equal(stateOf(findings, "dispatcher"), "failed: none runs: nothing is sent");
    assert.equal((await sql`select 1 from outbound.settings where name = 'secrets_canary'`).length, 0);
  }));

Deno.test("checkDatabase() finds an OUTBOUND_SECRETS_KEY of another database", () =>
  withTestDatabase(async ({ sql, url }) => {
    await isSecretsKeyRight({ sql, sealer: createSealer(TEST_ENV.OUTBOUND_SECRETS_KEY) });

    const right = await checkDatabase(sql, envOf(url));
    const wrong = await checkDatabase(sql, envOf(url, { OUTBOUND_SECRETS_KEY: "x".repeat(32) }));

    assert.equal(stateOf(right.findings, "secrets key"), "ok: opens the secrets of this database");
    assert.match(stateOf(wrong.findings, "secrets key")!, /^failed: OUTBOUND_SECRETS_KEY does not open/);
  }));

Deno.test("checkDatabase() finds a dispatcher that is running, and pg_cron alone", () =>
  withTestDatabase(async ({ sql, url }) => {
    const ticked = (by: string) =>
      sql`insert into outbound.settings (name, value) values (${`last_tick:${by}`}, 'null')`;
    await ticked("pg_cron");
    const alone = await checkDatabase(sql, envOf(url));
    await ticked("dispatcher");
    const running = await checkDatabase(sql, envOf(url));

    assert.match(stateOf(alone.findings, "dispatcher")!, /^warning: none runs; pg_cron keeps time/);
    assert.equal(stateOf(running.findings, "dispatcher"), "ok: running");
  }));

/** Checks the senders of a database, with a sandbox as both platforms. */
async function withSenders(
  fn: (t: {
    sql: postgres.Sql;
    companyId: string;
    addAccount(
      sender: Parameters<Parameters<Parameters<typeof withSandbox>[1]>[0]["addAccount"]>[0],
    ): Promise<void>;
    check(changes?: Record<string, string>): Promise<Finding[]>;
  }) => Promise<void>,
): Promise<void> {
  await withTestDatabase(({ sql, url }) =>
    withSandbox(TEST_ENV.WHATSAPP_APP_SECRET, async (sandbox) => {
      const { id: companyId } = await insertCompany(sql);
      const platforms = { WHATSAPP_API_URL: sandbox.url, ELEVENLABS_API_URL: sandbox.url };
      await fn({
        sql,
        companyId,
        addAccount: sandbox.addAccount,
        check: (changes = {}) => checkSenders(sql, envOf(url, { ...platforms, ...changes })),
      });
    })
  );
}

Deno.test("checkSenders() says that there is none", () =>
  withSenders(async ({ check }) => {
    assert.equal(stateOf(await check(), "senders"), "warning: there is none yet");
  }));

Deno.test("checkSenders() accepts a token that the platform accepts, and finds one that it refuses", () =>
  withSenders(async ({ sql, companyId, addAccount, check }) => {
    const known = await insertSender(sql, companyId);
    await addAccount(known);
    const good = await check();
    const unknown = await insertSender(sql, companyId);
    const voice = await insertVoiceSender(sql, companyId);

    const bad = await check();

    assert.equal(stateOf(good, "senders"), "ok: all 1 may send, and the platforms accept their tokens");
    assert.deepEqual(bad.map(({ state, text }) => [state, text.split(":")[0]]).sort(), [
      ["failed", `voice ${voice.number}`],
      ["failed", `whatsapp ${unknown.number}`],
    ]);
    for (const { token } of [known, unknown, voice]) assert.ok(!JSON.stringify(bad).includes(token));
  }));

Deno.test("checkSenders() finds a sender that the platform has stopped, with its reason", () =>
  withSenders(async ({ sql, companyId, check }) => {
    const { id, number } = await insertSender(sql, companyId);
    await sql`update outbound.senders
      set status = 'stopped', stopped_reason = 'Account locked', stopped_at = now() where id = ${id}`;

    assert.equal(stateOf(await check(), "senders"), `failed: whatsapp ${number} is stopped: Account locked`);
  }));

Deno.test("checkSenders() finds a platform that does not respond, and a token sealed with another key", () =>
  withSenders(async ({ sql, companyId, check }) => {
    const { number } = await insertSender(sql, companyId);

    const unreachable = await check({ WHATSAPP_API_URL: "http://127.0.0.1:9" });
    const sealed = await check({ OUTBOUND_SECRETS_KEY: "x".repeat(32) });

    assert.equal(
      stateOf(unreachable, "senders"),
      `failed: whatsapp ${number}: The platform does not respond`,
    );
    assert.equal(
      stateOf(sealed, "senders"),
      `failed: whatsapp ${number}: OUTBOUND_SECRETS_KEY does not open its token`,
    );
  }));

Deno.test("doctor finds no fault while the service runs, and exits 1 when it does not; no secret is printed", () =>
  withProduction(async ({ env, walk }) => {
    const serve = await runCommand("serve", env, /Listening on .*\n/);
    await walk();
    const running = await endedCommand("doctor", env, ["--json"]);
    await serve.stop("SIGTERM");
    const stopped = await endedCommand("doctor", env);

    const { ok, checks } = JSON.parse(running.stdout) as { ok: boolean; checks: Finding[] };
    assert.deepEqual([running.code, ok], [0, true], running.stdout);
    for (const check of ["database", "clock", "migrations", "storage", "dispatcher", "webhook", "senders"]) {
      assert.equal(checks.find((each) => each.check === check)?.state, "ok", `${check}: ${running.stdout}`);
    }
    assert.equal(stopped.code, 1);
    assert.match(stopped.stdout, /^✗ webhook +http:\S+ does not respond\n +→ Check OUTBOUND_PUBLIC_URL/m);
    assert.match(stopped.stdout, /^✓ migrations +all applied$/m);
    assert.match(stopped.stdout, /\n\d+ ok, \d+ to look at, 1 failed\n$/);
    const secrets = [
      env.OUTBOUND_SECRETS_KEY,
      env.WHATSAPP_APP_SECRET,
      env.WHATSAPP_VERIFY_TOKEN,
      env.SUPABASE_SECRET_KEY,
    ];
    for (const secret of secrets) {
      assert.ok(![running, stopped].some(({ stdout }) => stdout.includes(secret!)));
    }
  }));

Deno.test("doctor --help explains itself, and an unknown option is refused", async () => {
  const help = await endedCommand("doctor", {}, ["--help"]);
  const refused = await endedCommand("doctor", {}, ["--fix"]);

  assert.match(help.stdout, /^Usage: deno task doctor/);
  assert.deepEqual([help.code, refused.code, refused.stderr], [0, 1, "Unknown option '--fix'. Try --help\n"]);
});
