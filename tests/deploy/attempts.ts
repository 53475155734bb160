/**
 * Tries what a fault in a dependency could try, and prints how each attempt ended. Loaded before a task by
 * `permissions_test.ts`, so that it runs with the task's permissions.
 *
 * @module
 */
const root = new URL("../../", import.meta.url);

const ATTEMPTS: Record<string, () => unknown> = {
  "read a file of the system": () => Deno.readTextFile("/etc/passwd"),
  "read a file of the project": () => Deno.readTextFile(new URL("deno.json", root)),
  "read a folder above the migrations": () => Array.fromAsync(Deno.readDir(new URL("supabase", root))),
  "write a file": () => Deno.writeTextFile("/tmp/outbound-attempt", ""),
  "write a migration": () => Deno.writeTextFile(new URL("supabase/migrations/0_attempt.sql", root), ""),
  "start a program": () => new Deno.Command("true").output(),
  "read another variable": () => Deno.env.get("HOME"),
  "read all variables": () => Deno.env.toObject(),
  "set a setting": () => Deno.env.set("OUTBOUND_SECRETS_KEY", "-".repeat(32)),
  "load a library": () => Deno.dlopen("libc.so.6", {}),
  "ask for the host's name": () => Deno.hostname(),
  // Deno lets any program import from this server unless a flag forbids it.
  "import code from a server": () => import(`https://${"esm.sh"}/outbound-attempt`),
  "ask for more": async () => (await Deno.permissions.request({ name: "ffi" })).state,
  "read the migrations": () => Array.fromAsync(Deno.readDir(new URL("supabase/migrations", root))),
};

async function tryTo(attempt: () => unknown): Promise<string> {
  try {
    const result = await attempt();
    return typeof result === "string" && /^(granted|denied|prompt)$/.test(result) ? result : "done";
  } catch (error) {
    const { name, message } = error as Error;
    return message.includes("--no-remote") ? "--no-remote" : name;
  }
}

const ended: Record<string, string> = {};
for (const [name, attempt] of Object.entries(ATTEMPTS)) ended[name] = await tryTo(attempt);
// deno-lint-ignore no-console -- read by the test
console.log(`ATTEMPTS ${JSON.stringify(ended)}`);
