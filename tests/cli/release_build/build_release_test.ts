import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MissingProgram, runProgram } from "../../../cli/release_build/run_program.ts";
import { archiveFolder, copySources } from "../../../cli/release_build/sources.ts";
import { machineEnv } from "../../setup/machine_env.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";
import { type Outcome, runProcess } from "../run_process.ts";

const COMMAND = fileURLToPath(new URL("../../../cli/release_build.ts", import.meta.url));

function releaseBuild(...args: string[]): Promise<Outcome> {
  const options = { args: ["run", "-A", COMMAND, ...args], env: machineEnv(), stdin: "" };
  return runProcess(Deno.execPath(), options);
}

/** Calls `fn` with a repository of one commit, and an empty folder. */
async function withRepository(
  fn: (t: { root: string; copy: string; git(...args: string[]): Promise<string> }) => Promise<void>,
): Promise<void> {
  await withTempFolder(async (folder) => {
    const [root, copy] = [join(folder, "root"), join(folder, "copy")];
    for (const each of [root, copy, join(root, "chart")]) await Deno.mkdir(each);
    const author = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
    const git = (...args: string[]) => runProgram("git", [...author, ...args], { cwd: root });
    await Deno.writeTextFile(join(root, ".gitignore"), "ignored\n");
    await Deno.writeTextFile(join(root, "chart/tracked"), "one");
    await git("init", "--quiet");
    await git("add", "--all");
    await git("commit", "--quiet", "--message", "first");
    await fn({ root, copy, git });
  });
}

for (
  const [what, args, message] of [
    ["another version", ["--version", "9.9.9"], /^--version is 9\.9\.9, but the sources have \d/],
    ["an unknown option", ["--publish"], /^Unknown option '--publish'\. Try --help/],
    ["no value", ["--out"], /^Option '--out <value>' argument missing\. Try --help/],
  ] as const
) {
  Deno.test(`release:build refuses ${what} in one line`, async () => {
    const { code, stdout, stderr } = await releaseBuild(...args);

    assert.deepEqual([code, stdout, stderr.trim().split("\n").length], [1, "", 1]);
    assert.match(stderr, message);
  });
}

Deno.test("release:build leaves a folder with other files alone", () =>
  withTempFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "thesis.txt"), "mine");

    const { code, stderr } = await releaseBuild("--allow-changes", "--out", folder);

    assert.deepEqual([code, stderr], [
      1,
      `${folder} has files that are no earlier build: name another folder\n`,
    ]);
    assert.equal(await Deno.readTextFile(join(folder, "thesis.txt")), "mine");
  }));

Deno.test("runProgram() has an error of its own for a program that is missing", async () => {
  const cwd = Deno.cwd();

  await assert.rejects(runProgram("no-such-program", [], { cwd }), MissingProgram);
  await assert.rejects(runProgram("git", ["no-such-command"], { cwd }), {
    name: "CommandError",
    code: "build_failed",
    message: /^git no-such-command failed: git: 'no-such-command' is not a git command/,
  });
});

Deno.test("copySources() takes the commit, and neither ignored files nor the git folder", () =>
  withRepository(async ({ root, copy, git }) => {
    await Deno.writeTextFile(join(root, "ignored"), "");

    const { commit, time } = await copySources(root, copy, { allowChanges: false });

    assert.deepEqual([...Deno.readDirSync(copy)].map(({ name }) => name).sort(), [".gitignore", "chart"]);
    assert.equal(commit, (await git("rev-parse", "HEAD")).trim());
    assert.equal(String(time.getTime() / 1000), (await git("log", "-1", "--format=%ct")).trim());
  }));

Deno.test("copySources() refuses changes, or takes those of known files, always as the same commit", () =>
  withRepository(async ({ root, copy, git }) => {
    await Deno.writeTextFile(join(root, "chart/tracked"), "two");
    await Deno.writeTextFile(join(root, "unknown"), "");

    await assert.rejects(copySources(root, copy, { allowChanges: false }), {
      code: "refused",
      message: /^Commit these changes first.*\n M chart\/tracked\n\?\? unknown/,
    });
    const changed = await copySources(root, copy, { allowChanges: true });
    const again = await copySources(root, copy, { allowChanges: true });

    assert.equal(await Deno.readTextFile(join(copy, "chart/tracked")), "two");
    await assert.rejects(Deno.stat(join(copy, "unknown")), Deno.errors.NotFound);
    assert.equal(changed.commit, again.commit);
    assert.equal((await git("stash", "list")) + (await git("diff", "--cached")), "");
  }));

Deno.test("archiveFolder() writes the folder alone, below the prefix", () =>
  withRepository(async ({ root, copy }) => {
    const sources = await copySources(root, copy, { allowChanges: false });
    const out = join(copy, "chart.tgz");

    await archiveFolder(sources, { path: "chart", prefix: "name/", out });

    assert.equal(await runProgram("tar", ["-tzf", out], { cwd: copy }), "name/\nname/tracked\n");
  }));
