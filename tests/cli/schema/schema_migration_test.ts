import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

async function schemaMigration(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const script = fileURLToPath(new URL("../../../cli/schema_migration.ts", import.meta.url));
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", script, ...args],
    stdin: "null",
  }).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

Deno.test("schema:migration --help explains itself, with examples", async () => {
  const { code, stdout } = await schemaMigration(["--help"]);

  assert.equal(code, 0);
  assert.match(stdout, /^Usage: deno task schema:migration NAME/);
  assert.match(stdout, /\n {2}deno task schema:migration add_sender_labels\n/);
});

for (
  const [name, args, message] of [
    ["without a name", [], /^Give the migration a name in snake_case/],
    ["with a name that is no file name", ["Add Labels"], /^Give the migration a name in snake_case/],
    ["with two names", ["one", "two"], /^Give one name\. Try --help/],
    ["on an unknown option", ["--all"], /^Unknown option '--all'/],
  ] as const
) {
  Deno.test(`schema:migration fails with one line ${name}`, async () => {
    const { code, stdout, stderr } = await schemaMigration([...args]);

    assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
    assert.match(stderr, message);
    assert.equal(stderr.trimEnd().split("\n").length, 1);
  });
}
