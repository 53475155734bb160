import assert from "node:assert/strict";
import { openLogFile } from "../../../local/stack/log_file.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";

/** Writes lines of levels into a home's log and returns those that the screen shows. */
function writeLines(home: string, lines: [level: "info" | "warn" | "error", line: string][]): string[] {
  const shown: string[] = [];
  const log = openLogFile(home, { show: (line) => shown.push(line), isVerbose: false, maxBytes: 100 });
  for (const [level, line] of lines) log.write(line, level);
  log.close();
  return shown;
}

Deno.test("the log of a home has every line, for its owner only; the screen shows warnings and errors", () =>
  withTempFolder(async (home) => {
    const shown = writeLines(home, [["info", "one"], ["warn", "two"], ["error", "three"]]);

    assert.deepEqual(shown, ["two", "three"]);
    assert.equal(await Deno.readTextFile(`${home}/service.log`), "one\ntwo\nthree\n");
    assert.equal((await Deno.stat(`${home}/service.log`)).mode! & 0o077, 0);
  }));

Deno.test("the log of a home begins anew at each start and keeps the one before", () =>
  withTempFolder(async (home) => {
    for (const line of ["first", "second", "third"]) writeLines(home, [["info", line]]);

    assert.equal(await Deno.readTextFile(`${home}/service.log`), "third\n");
    assert.equal(await Deno.readTextFile(`${home}/service.previous.log`), "second\n");
  }));

Deno.test("the log of a home begins anew when it is full, so that both files stay below its limit", () =>
  withTempFolder(async (home) => {
    const line = "é".repeat(24);
    writeLines(home, Array.from({ length: 9 }, (_, index) => ["info", `${index}${line}`]));

    assert.equal(await Deno.readTextFile(`${home}/service.log`), `8${line}\n`);
    assert.equal(await Deno.readTextFile(`${home}/service.previous.log`), `6${line}\n7${line}\n`);
  }));

Deno.test("a line that cannot be stored is shown, whatever its level", () =>
  withTempFolder(async (home) => {
    const shown: string[] = [];
    const log = openLogFile(home, { show: (line) => shown.push(line), isVerbose: false, maxBytes: 10 });
    await Deno.mkdir(`${home}/service.previous.log`);

    log.write("fits", "info");
    log.write("does not fit", "info");
    log.close();

    assert.deepEqual(shown, ["does not fit"]);
  }));
