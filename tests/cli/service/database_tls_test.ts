import assert from "node:assert/strict";
import { join } from "node:path";
import postgres from "postgres";
import { connect } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { describeDatabaseError } from "../../../cli/errors/describe_database_error.ts";
import { SETTINGS } from "./production_settings.ts";
import { endedCommand } from "./run_command.ts";
import { serverUser } from "../../setup/database/postgres_cluster.ts";
import { withOwnCluster } from "../../faults/database/own_cluster.ts";
import { skipped } from "../../setup/skipped.ts";
// Has this file run where there is a Postgres only: it takes a server of its own.
import "../../setup/database/postgres_database.ts";

const TEST = "TLS to Postgres";

/** A server that takes TLS alone, with a certificate for 127.0.0.1 of an authority of its own. */
async function withTlsServer(
  fn: (server: { url: string; authority: string }) => Promise<void>,
  { name = "IP:127.0.0.1" } = {},
): Promise<void> {
  await withOwnCluster(async ({ url, folder }) => {
    const files = await createCertificates(folder, name);
    if (files === undefined) return skipped(TEST, "no openssl");
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      await sql.unsafe(`alter system set ssl_cert_file = '${files.certificate}'`);
      await sql.unsafe(`alter system set ssl_key_file = '${files.key}'`);
      await sql.unsafe("alter system set ssl = on");
      await Deno.writeTextFile(join(folder, "data/pg_hba.conf"), "hostssl all all all trust\n");
      await sql`select pg_reload_conf()`;
    } finally {
      await sql.end({ timeout: 5 });
    }
    await fn({ url, authority: files.authority });
  });
}

async function createCertificates(folder: string, name: string) {
  const at = (file: string) => join(folder, file);
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const authority = ["-x509", "-subj", "/CN=authority", "-keyout", at("ca.key"), "-out", at("ca.pem")];
  const request = ["-subj", "/CN=server", "-keyout", at("server.key"), "-out", at("server.csr")];
  await Deno.writeTextFile(at("names"), `subjectAltName=${name}\nbasicConstraints=CA:FALSE\n`);
  try {
    await openssl("req", ...key, ...authority);
    await openssl("req", ...key.slice(0, -2), ...request);
    await openssl(
      ...[
        "x509",
        "-req",
        "-in",
        at("server.csr"),
        "-CA",
        at("ca.pem"),
        "-CAkey",
        at("ca.key"),
        "-CAcreateserial",
      ],
      ...["-days", "2", "-extfile", at("names"), "-out", at("server.pem")],
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  const user = await serverUser();
  if (user) await Deno.chown(at("server.key"), user.uid, user.gid);
  await Deno.chmod(at("server.key"), 0o600);
  return { key: at("server.key"), certificate: at("server.pem"), authority: at("ca.pem") };
}

async function openssl(...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("openssl", { args }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** How a connection with these parameters of its URL ends. */
async function connecting(url: string, parameters: Record<string, string>): Promise<string> {
  const changed = new URL(url);
  for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value);
  const sql = connect(changed.href, { max: 1 });
  try {
    const [row] = await sql<{ ssl: boolean }[]>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
    return row!.ssl ? "TLS" : "plain";
  } catch (error) {
    return describeDatabaseError(error, changed.href).replace(/:\d+/, "");
  } finally {
    await sql.end({ timeout: 1 });
  }
}

Deno.test("a database's sslrootcert is honoured, and a server that wants TLS is said to", () =>
  withTlsServer(async ({ url, authority }) => {
    const unknown =
      "The database at 127.0.0.1 has a certificate of an authority that this machine does not know: " +
      "name its file with sslrootcert (docs/operations.md#tls-to-postgres)";
    const cases: [Record<string, string>, string][] = [
      [
        {},
        "The database at 127.0.0.1 wants TLS: add ?sslmode=verify-full to DATABASE_URL " +
        "(docs/operations.md#tls-to-postgres)",
      ],
      [{ sslmode: "require" }, "TLS"],
      [{ sslmode: "verify-ca" }, unknown],
      [{ sslmode: "verify-full" }, unknown],
      [{ sslmode: "verify-full", sslrootcert: authority }, "TLS"],
      [{ sslmode: "verify-ca", sslrootcert: authority }, "TLS"],
      [{ sslmode: "require", sslrootcert: authority }, "TLS"],
    ];
    for (const [parameters, expected] of cases) {
      assert.equal(await connecting(url, parameters), expected, JSON.stringify(parameters));
    }
  }));

Deno.test("verify-full refuses a certificate of another name, which verify-ca takes", () =>
  withTlsServer(async ({ url, authority }) => {
    assert.equal(
      await connecting(url, { sslmode: "verify-full", sslrootcert: authority }),
      "The database at 127.0.0.1 has a certificate of another name (docs/operations.md#tls-to-postgres)",
    );
    assert.equal(await connecting(url, { sslmode: "verify-ca", sslrootcert: authority }), "TLS");
  }, { name: "DNS:db.example.com" }));

Deno.test("serve names certificates that it cannot read, in one line without the password", async () => {
  const url = "postgres://u:secret@127.0.0.1/x?sslmode=verify-full&sslrootcert=/etc/ssl/certs/none.pem";

  const { code, stderr } = await endedCommand("serve", { ...SETTINGS, DATABASE_URL: url });

  assert.equal(code, 1);
  assert.match(
    stderr,
    /^Missing or malformed settings: DATABASE_URL \(sslrootcert cannot be read: \/etc\/ssl\/certs\/none\.pem;/,
  );
  assert.doesNotMatch(stderr, /secret/);
});
