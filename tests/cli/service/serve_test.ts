import assert from "node:assert/strict";
import {
  isSecretsKeyRight,
  WRONG_SECRETS_KEY,
} from "../../../supabase/functions/_shared/access/secrets_canary.ts";
import { createSealer } from "../../../supabase/functions/_shared/crypto/seal.ts";
import { withBareDatabase, withTestDatabase } from "../../setup/database/database.ts";
import { eventually } from "../../setup/eventually.ts";
import { TEST_SECRETS_KEY } from "../../setup/fixtures/fixtures.ts";
import { freePorts } from "../../browser/free_ports.ts";
import { SETTINGS } from "./production_settings.ts";
import { endedCommand, runCommand } from "./run_command.ts";

Deno.test("serve names every missing setting in one line", async () => {
  const ended = await endedCommand("serve", { OUTBOUND_SECRETS_KEY: TEST_SECRETS_KEY });

  assert.deepEqual(ended, {
    code: 1,
    stdout: "",
    stderr:
      "Missing settings: DATABASE_URL, OUTBOUND_PUBLIC_URL, SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY, WHATSAPP_APP_SECRET, " +
      "WHATSAPP_VERIFY_TOKEN\n",
  });
});

Deno.test("dispatch names every missing setting in one line", async () => {
  const { code, stderr } = await endedCommand("dispatch", {});

  assert.equal(code, 1);
  assert.equal(stderr, "Missing settings: DATABASE_URL, OUTBOUND_SECRETS_KEY\n");
});

for (const task of ["serve", "dispatch"] as const) {
  Deno.test(`${task} refuses an option it does not have in one line`, async () => {
    const ended = await endedCommand(task, SETTINGS, ["--prot", "80"]);

    assert.deepEqual(ended, { code: 1, stdout: "", stderr: "Unknown option '--prot'. Try --help\n" });
  });

  Deno.test(`${task} does not run with an OUTBOUND_SEND_TIMEOUT_S that could double a message`, async () => {
    const ended = await endedCommand(task, {
      ...SETTINGS,
      DATABASE_URL: "postgres://u:secret@127.0.0.1:1/x",
      OUTBOUND_SEND_TIMEOUT_S: "200",
    });

    assert.deepEqual([ended.code, ended.stdout], [1, ""]);
    assert.match(
      ended.stderr,
      /^Missing or malformed settings: OUTBOUND_SEND_TIMEOUT_S \(at most 142 with this OUTBOUND_DISPATCH_LEASE_S and OUTBOUND_UNC.*\)\n$/,
    );
  });

  Deno.test(`${task} does not run with an OUTBOUND_SECRETS_KEY that is not the database's`, () =>
    withTestDatabase(async ({ url, sql }) => {
      assert.equal(await isSecretsKeyRight({ sql, sealer: createSealer(TEST_SECRETS_KEY) }), true);

      const ended = await endedCommand(task, {
        ...SETTINGS,
        DATABASE_URL: url,
        OUTBOUND_SECRETS_KEY: `${"x".repeat(40)},${"y".repeat(40)}`,
      });

      assert.deepEqual(ended, { code: 1, stdout: "", stderr: `${WRONG_SECRETS_KEY}\n` });
    }));

  Deno.test(`${task} does not run on a database that lacks migrations`, () =>
    withBareDatabase(async ({ url }) => {
      const { code, stderr } = await endedCommand(task, { ...SETTINGS, DATABASE_URL: url });

      assert.equal(code, 1);
      assert.match(stderr, /^The database lacks \d+ migrations, .*: run "deno task migrate" first\n$/);
    }));

  Deno.test(`${task} does not run on a database that a pre-release version made`, () =>
    withTestDatabase(async ({ sql, url }) => {
      await sql`insert into supabase_migrations.schema_migrations (version) values ('20261121000100')`;

      const { code, stderr } = await endedCommand(task, { ...SETTINGS, DATABASE_URL: url });

      assert.equal(code, 1);
      assert.match(stderr, /^This database was made by a pre-release version: .* 20261121000100, .*\n$/);
    }));

  Deno.test(`${task} does not run on a database that cannot be reached, and keeps its password to itself`, async () => {
    const { code, stderr } = await endedCommand(task, {
      ...SETTINGS,
      DATABASE_URL: "postgres://u:secret@127.0.0.1:1/x",
    });

    assert.equal(code, 1);
    assert.equal(stderr, "The database at 127.0.0.1:1 cannot be reached: nothing listens there\n");
  });
}

Deno.test("serve responds to requests, runs a dispatcher and exits 0 on SIGTERM", () =>
  withTestDatabase(async ({ url }) => {
    const serve = await runCommand("serve", { ...SETTINGS, DATABASE_URL: url }, /Listening on .*\n/);
    const base = /Listening on (\S+)/.exec(serve.output)![1]!.replace("0.0.0.0", "127.0.0.1");

    await eventually(async () => {
      const health = await (await fetch(`${base}/health`)).json();
      assert.deepEqual([health.status, health.dispatcher], ["ok", "running"]);
    });
    assert.equal(await serve.stop("SIGTERM"), 0);
  }));

Deno.test("dispatch works off the queue of a database that a later version has migrated, and exits 0 on SIGINT", () =>
  withTestDatabase(async ({ url, sql }) => {
    await sql`insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`;
    const dispatch = await runCommand("dispatch", { ...SETTINGS, DATABASE_URL: url }, /Dispatching\n/);

    await eventually(async () => {
      assert.equal(
        (await sql`select 1 from outbound.settings where name = 'last_tick:dispatcher'`).length,
        1,
      );
    });
    assert.equal(await dispatch.stop("SIGINT"), 0);
  }));

Deno.test("dispatch runs several workers from one command and exits 0 on SIGTERM", () =>
  withTestDatabase(async ({ url }) => {
    const env = { ...SETTINGS, DATABASE_URL: url };
    const ready = /(Dispatching\n[^]*){2}/;
    const dispatch = await runCommand("dispatch:workers", env, ready, ["2"]);

    assert.match(dispatch.output, /^Running 2 dispatchers\n/);
    assert.equal(await dispatch.stop("SIGTERM"), 0);
  }));

Deno.test("dispatch serves the metrics of each worker on a port of its own", () =>
  withTestDatabase(async ({ url }) => {
    const port = freePorts();
    const env = { ...SETTINGS, DATABASE_URL: url, OUTBOUND_METRICS_PORT: String(port) };
    const dispatch = await runCommand("dispatch:workers", env, /(Metrics at [^]*){2}/, ["2"]);

    for (const each of [port, port + 1]) {
      // From a worker's first claim on.
      await eventually(async () => {
        const text = await (await fetch(`http://127.0.0.1:${each}/metrics`)).text();
        assert.match(text, /^outbound_claim_duration_seconds_count/m);
      });
    }
    assert.equal(await dispatch.stop("SIGTERM"), 0);
  }));

Deno.test("dispatch --supervised ends with its standard input", () =>
  withTestDatabase(async ({ url }) => {
    const ended = await endedCommand("dispatch", { ...SETTINGS, DATABASE_URL: url }, ["--supervised"]);

    assert.equal(ended.code, 0);
    assert.match(ended.stdout, /^Dispatching\n/);
  }));

Deno.test("dispatch:workers refuses a number of workers that is none", async () => {
  for (const workers of ["0", "65", "two", "1.5"]) {
    const { code, stderr } = await endedCommand("dispatch:workers", SETTINGS, [workers]);

    assert.equal(code, 1);
    assert.equal(stderr, `dispatch:workers takes one whole number from 1 to 64, got '${workers}'\n`);
  }
});

Deno.test("dispatch:workers names missing settings once and starts nothing", async () => {
  const ended = await endedCommand("dispatch:workers", {}, ["2"]);

  assert.deepEqual(ended, {
    code: 1,
    stdout: "",
    stderr: "Missing settings: DATABASE_URL, OUTBOUND_SECRETS_KEY\n",
  });
});

for (
  const [host, base] of [["127.0.0.1", "127.0.0.1"], ["::1", "[::1]"], ["::", "[::1]"], ["::", "127.0.0.1"]]
) {
  Deno.test(`serve on HOST ${host} responds at ${base}`, () =>
    withTestDatabase(async ({ url }) => {
      const settings = { ...SETTINGS, DATABASE_URL: url, HOST: host! };
      const serve = await runCommand("serve", settings, /Listening on .*\n/);
      const [, shown, port] = /Listening on http:\/\/(\S+):(\d+)/.exec(serve.output)!;

      const health = await (await fetch(`http://${base}:${port}/functions/v1/health`)).json();
      assert.equal(health.status, "ok");
      assert.equal(shown, host!.includes(":") ? `[${host}]` : host);
      assert.equal(await serve.stop("SIGTERM"), 0);
    }));
}

Deno.test("serve says that HOST is no address of this machine", () =>
  withTestDatabase(async ({ url }) => {
    for (const HOST of ["192.0.2.1", "no-such-host.invalid"]) {
      const ended = await endedCommand("serve", { ...SETTINGS, DATABASE_URL: url, HOST });

      assert.deepEqual([ended.code, ended.stderr], [
        1,
        `HOST is ${HOST}, which is no address of this machine\n`,
      ]);
    }
  }));

Deno.test("serve says which port is in use", () =>
  withTestDatabase(async ({ url }) => {
    const listener = Deno.listen({ hostname: "0.0.0.0", port: 0 });
    const port = String((listener.addr as Deno.NetAddr).port);

    const ended = await endedCommand("serve", { ...SETTINGS, DATABASE_URL: url, PORT: port });

    assert.deepEqual([ended.code, ended.stderr], [1, `Port ${port} is in use: set PORT to a free one\n`]);
    listener.close();
  }));
