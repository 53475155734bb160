import { openDatabaseServer } from "/tmp/wt-bench/bench/setup/database_server.ts";
import { addTenant, migrate } from "/tmp/wt-bench/bench/setup/world.ts";
import { freePort, startProcess } from "/tmp/wt-bench/bench/setup/processes.ts";
import { requestBody } from "/tmp/wt-bench/bench/measures/request_body.ts";
import { runHttpLoad } from "/tmp/wt-bench/bench/load/http_load.ts";
import { TEST_SECRETS_KEY } from "/tmp/wt-bench/tests/setup/fixtures.ts";
const folder = await Deno.makeTempDir();
await Deno.chmod(folder, 0o755);
const server = await openDatabaseServer(folder, { url: undefined, report: console.error });
const url = await server.create("p");
const sql = await migrate(url);
const tenant = await addTenant(sql);
const port = freePort();
const prof = Deno.args[0] === "prof";
const p = await startProcess([
  Deno.execPath(),
  "run",
  "-A",
  "--quiet",
  "--no-check",
  ...(prof ? ["--cpu-prof", "--cpu-prof-dir=/tmp/prof"] : []),
  "cli/serve.ts",
], {
  cwd: Deno.cwd(),
  env: {
    DATABASE_URL: url,
    SECRETS_KEY: TEST_SECRETS_KEY,
    SUPABASE_URL: "http://127.0.0.1:9",
    SUPABASE_PUBLISHABLE_KEY: "x",
    WHATSAPP_API_URL: "http://127.0.0.1:9",
    WHATSAPP_APP_SECRET: "x",
    WHATSAPP_VERIFY_TOKEN: "x",
    LOG_LEVEL: Deno.env.get("LL") ?? "warn",
    PORT: String(port),
  },
});
const body = JSON.stringify(requestBody(tenant, Number(Deno.args[1] ?? 1)));
const u = `http://127.0.0.1:${port}/functions/v1/notify?access_key=${tenant.key.key}`;
const cpu = async () => {
  const s = await Deno.readTextFile(`/proc/${p.pid}/stat`);
  const f = s.split(") ")[1].split(" ");
  return (+f[11] + +f[12]) * 10;
};
await runHttpLoad({ url: u, method: "POST", body, connections: 32, seconds: 2 });
const c0 = await cpu();
const t0 = Date.now();
const total0 = (await Deno.readTextFile("/proc/stat")).split("\n")[0];
const r = await runHttpLoad({
  url: u,
  method: "POST",
  body,
  connections: Number(Deno.args[2] ?? 32),
  seconds: 5,
});
const c1 = await cpu();
const total1 = (await Deno.readTextFile("/proc/stat")).split("\n")[0];
console.log(r, "server cpu", (c1 - c0) / (Date.now() - t0), "us/req cpu", (c1 - c0) * 1000 / (r.rate * 5));
console.log(total0);
console.log(total1);
await p.stop();
await sql.end();
await server.stop();
await Deno.remove(folder, { recursive: true });
