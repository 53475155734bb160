import assert from "node:assert/strict";
import postgres from "postgres";
import { startDatabase } from "../../../local/database/start.ts";
import { applyMigrations } from "../../../cli/migrations/apply.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";

const HOLDER = new URL("./hold_database.ts", import.meta.url);

/** Starts the database in a process of its own, which can be killed; returns its URL. */
async function startHolder(directory: string): Promise<{ url: string; process: Deno.ChildProcess }> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", HOLDER.pathname, directory],
    stdout: "piped",
  }).spawn();
  const reader = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return { url: value!.trim(), process };
}

Deno.test("startDatabase() keeps what was committed before a SIGKILL, starts again at once, locks its folder", () =>
  withTempFolder(async (folder) => {
    const directory = `${folder}/database`;
    const holder = await startHolder(directory);
    const before = postgres(holder.url, { max: 1, onnotice: () => {} });
    await before`create table kept (n int)`;
    for (const n of [1, 2, 3]) await before`insert into kept values (${n})`;
    await assert.rejects(startDatabase({ directory, port: 0 }), Deno.errors.Busy);

    holder.process.kill("SIGKILL");
    await holder.process.status;
    await before.end({ timeout: 0 });
    const again = await startDatabase({ directory, port: 0, password: "a-password" });

    const after = postgres(again.url, { max: 1 });
    assert.deepEqual([...await after`select n from kept order by n`], [{ n: 1 }, { n: 2 }, { n: 3 }]);
    await after.end();
    await again.close();
  }));

Deno.test("startDatabase() runs the migrations once, however many processes start them", () =>
  withTempFolder(async (folder) => {
    const database = await startDatabase({ directory: `${folder}/database`, port: 0 });
    const clients = Array.from({ length: 20 }, () => postgres(database.url, { max: 1, onnotice: () => {} }));

    const runs = await Promise.all(clients.map((sql) => applyMigrations(sql)));

    const applied = runs.flatMap((run) => run.applied);
    assert.ok(applied.length > 0);
    assert.equal(new Set(applied).size, applied.length);
    await Promise.all(clients.map((sql) => sql.end()));
    await database.close();
  }));

Deno.test("startDatabase() says that a port is in use", () =>
  withTempFolder(async (folder) => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr as Deno.NetAddr;

    await assert.rejects(startDatabase({ directory: `${folder}/database`, port }), Deno.errors.AddrInUse);

    listener.close();
  }));
