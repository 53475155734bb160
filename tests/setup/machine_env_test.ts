import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { readImportGraph } from "../tools/import_graph.ts";
import { machineEnv } from "./machine_env.ts";

const ROOT = new URL("../../", import.meta.url);
/** Gets its environment from a file that keeps them. */
const GIVEN = ["tests/docs/run_page.ts"];

Deno.test("machineEnv() keeps what Node, npm and Deno need to fetch, and no setting of the service", () => {
  const kept = [
    "DENO_CERT",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "DENO_TLS_CA_STORE",
    "npm_config_cafile",
  ];
  const before = Deno.env.toObject();
  try {
    for (const name of [...kept, "DATABASE_URL", "HTTPS_PROXY"]) Deno.env.set(name, "value");

    const names = Object.keys(machineEnv());

    assert.deepEqual(kept.filter((name) => !names.includes(name)), []);
    assert.deepEqual(names.filter((name) => /^(DATABASE_URL|HTTPS_PROXY)$/.test(name)), []);
  } finally {
    for (const name of [...kept, "DATABASE_URL", "HTTPS_PROXY"]) {
      if (before[name] === undefined) Deno.env.delete(name);
      else Deno.env.set(name, before[name]);
    }
  }
});

Deno.test("no process is started without the machine's own settings", async () => {
  const { files } = await readImportGraph(fileURLToPath(ROOT), ["bench", "cli", "local", "tests"]);
  const texts = files.map((file) => [file, Deno.readTextFileSync(new URL(file, ROOT))] as const);
  const clearing = texts.filter(([, text]) => /\bclearEnv: true,/.test(text));

  assert.ok(clearing.length > 0);
  assert.deepEqual(
    clearing.filter(([file, text]) => !text.includes("...machineEnv()") && !GIVEN.includes(file)).map((
      [file],
    ) => file),
    [],
  );
});
