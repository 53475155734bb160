import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type Task, taskCommand } from "../../cli/service/task_command.ts";
import { VARIABLES } from "../../supabase/functions/_shared/env.ts";

const CONFIG = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));

/** Variables that the client of the database reads where DATABASE_URL leaves something open. */
const DATABASE_VARIABLES = ["PG*", "USER", "USERNAME", "LOGNAME"];
/** LiveKit's library asks for it when it is loaded. */
const LIVEKIT_VARIABLES = ["BUF_BIGINT_DISABLE"];

/** Where sslrootcert of DATABASE_URL may be. */
const CERTIFICATES = ["/etc/ssl/certs", "/etc/outbound"];

/** Where OUTBOUND_MEDIA_FOLDER may be. */
const MEDIA = "/var/lib/outbound/media";

Deno.test("deno.json gives serve and dispatch the network, the settings, the docs, the migrations and the folder of media, and no more", () => {
  const { env, ...others } = CONFIG.permissions.service;
  const covers = (pattern: string, name: string) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  const of = [...DATABASE_VARIABLES, ...LIVEKIT_VARIABLES];

  assert.deepEqual(VARIABLES.filter((name) => !env.some((pattern: string) => covers(pattern, name))), []);
  assert.deepEqual(env.filter((pattern: string) => !VARIABLES.some((name) => covers(pattern, name))), of);
  assert.deepEqual(others, {
    net: true,
    read: ["./docs", "./supabase/migrations", ...CERTIFICATES, MEDIA],
    write: [MEDIA],
  });
});

Deno.test("deno.json gives migrate the database and the migrations, and dispatch:workers other processes", () => {
  assert.deepEqual(CONFIG.permissions.migrate, {
    net: true,
    env: ["DATABASE_URL", "DATABASE_URLS", ...DATABASE_VARIABLES],
    read: ["./supabase/migrations", ...CERTIFICATES],
  });
  assert.deepEqual(CONFIG.permissions["dispatch:workers"], { run: true, read: ["./deno.json"] });
});

Deno.test("the tasks of production run with their own permissions, do not ask for more, and with the locked packages", () => {
  const sets = {
    serve: "service",
    dispatch: "service",
    "dispatch:workers": "dispatch:workers",
    migrate: "migrate",
    doctor: "doctor",
  };
  for (const [task, set] of Object.entries(sets)) {
    const script = `cli/${task.replace(":", "_")}.ts`;
    assert.equal(
      CONFIG.tasks[task].command,
      `deno run --quiet -P=${set} --no-prompt --no-remote --frozen ${script}`,
    );
  }
  // The check of the image's health has no task.
  assert.deepEqual(
    Object.keys(CONFIG.permissions).sort(),
    [...new Set(Object.values(sets)), "health"].sort(),
  );
});

/** Returns how each attempt of `attempts.ts` ended in a process with the permissions of a task. */
async function attempts(task: Task): Promise<Record<string, string>> {
  const preload = fileURLToPath(new URL("./attempts.ts", import.meta.url));
  const [path, ...args] = taskCommand(task, { flags: ["--preload", preload] });
  const { stdout, stderr } = await new Deno.Command(path!, { args: [...args, "--help"], stdin: "null" })
    .output();
  const line = /^ATTEMPTS (.*)$/m.exec(new TextDecoder().decode(stdout))?.[1];
  assert.ok(line, new TextDecoder().decode(stderr));
  return JSON.parse(line) as Record<string, string>;
}

const REFUSED = {
  "read a file of the system": "NotCapable",
  "read a file of the project": "NotCapable",
  "read a folder above the migrations": "NotCapable",
  "write a file": "NotCapable",
  "write a migration": "NotCapable",
  "start a program": "NotCapable",
  "read another variable": "NotCapable",
  "read all variables": "NotCapable",
  "set a setting": "done",
  "load a library": "NotCapable",
  "ask for the host's name": "NotCapable",
  "import code from a server": "--no-remote",
  "ask for more": "denied",
  "read the migrations": "done",
};

for (const task of ["serve", "dispatch"] as const) {
  Deno.test(`${task} is refused whatever its permissions do not name`, async () => {
    assert.deepEqual(await attempts(task), REFUSED);
  });
}

Deno.test("migrate is refused whatever its permissions do not name, the settings of the service included", async () => {
  assert.deepEqual(await attempts("migrate"), { ...REFUSED, "set a setting": "NotCapable" });
});

Deno.test("dispatch:workers is refused the network, the settings and every file but deno.json", async () => {
  assert.deepEqual(await attempts("dispatch:workers"), {
    ...REFUSED,
    "read a file of the project": "done",
    "start a program": "done",
    "set a setting": "NotCapable",
    "read the migrations": "NotCapable",
  });
});

Deno.test("serve may load the parts that are loaded when they are first needed", async () => {
  const preload = fileURLToPath(new URL("./late_parts.ts", import.meta.url));
  const [path, ...args] = taskCommand("serve", { flags: ["--preload", preload] });
  const command = new Deno.Command(path!, { args: [...args, "--help"], stdin: "null" });
  const { success, stderr } = await command.output();

  assert.ok(success, new TextDecoder().decode(stderr));
});
