import assert from "node:assert/strict";
import { join } from "node:path";
import { findBinary } from "../../setup/find_binary.ts";
import { machineEnv } from "../../setup/machine_env.ts";
import { skipped } from "../../setup/skipped.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";
import { runProcess } from "../run_process.ts";
import { runOutbound } from "./run_outbound.ts";

/** Words after `outbound`, and all that the shell then offers for the last one. */
const TYPED: [words: string[], offered: string[]][] = [
  [["camp"], ["campaigns"]],
  [["campaigns", "list-rec"], ["list-recipients"]],
  [["templates", "list", "--st"], ["--status"]],
  [["settings", "change", "--on-unknown", "re"], ["resend"]],
  [["no-such", "x"], []],
];

/** Has a shell complete the words in its own way; each candidate is a line of standard output. */
const SHELLS: Record<string, (words: string[]) => string> = {
  bash: (words) =>
    `source script; COMP_WORDS=(outbound ${quoted(words)}); COMP_CWORD=${words.length}; _outbound; ` +
    `printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Its completion needs a terminal: what the script gives to it is printed instead.
  zsh: (words) =>
    `compdef() { }; compadd() { shift; print -l -- "$@"; }; _files() { }; source ./script; ` +
    `words=(outbound ${quoted(words)}); CURRENT=${words.length + 1}; _outbound`,
  fish: (words) => `source script; complete -C "outbound ${words.join(" ")}"`,
};

function quoted(words: string[]): string {
  return words.map((word) => `'${word}'`).join(" ");
}

for (const [shell, scriptFor] of Object.entries(SHELLS)) {
  Deno.test(`${shell} completes commands, flags and values`, async () => {
    const program = await findBinary(shell);
    if (program === undefined) return skipped(`the completion of ${shell}`, `no ${shell} found`);
    await withTempFolder(async (folder) => {
      const source = new URL("../../../cli/outbound.ts", import.meta.url).pathname;
      const command = `#!/bin/sh\nexec "${Deno.execPath()}" run -A --quiet "${source}" "$@"\n`;
      await Deno.writeTextFile(join(folder, "outbound"), command, { mode: 0o755 });
      const { stdout: script } = await runOutbound(["completion", shell], {});
      await Deno.writeTextFile(join(folder, "script"), script);
      const machine = machineEnv();
      const env = { ...machine, HOME: folder, PATH: `${folder}:${machine.PATH}` };

      for (const [words, offered] of TYPED) {
        const { stdout, stderr } = await runProcess(program, {
          args: ["-c", scriptFor(words)],
          env,
          cwd: folder,
          stdin: "",
        });
        const found = stdout.split("\n").filter((line) => line !== "");
        assert.deepEqual(found, offered, `${words}: ${stderr}`);
      }
    });
  });
}

Deno.test("completion refuses a shell that it does not know", async () => {
  for (const args of [[], ["tcsh"], ["toString"]]) {
    const { code, stdout, stderr } = await runOutbound(["completion", ...args], {});
    assert.deepEqual([code, stdout, stderr], [2, "", "Name the shell: bash, zsh or fish\n"]);
  }
});
