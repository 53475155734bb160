import assert from "node:assert/strict";
import { join } from "node:path";
import { supervise } from "../../../cli/service/supervise.ts";
import { collectLog } from "../../setup/stack/collect_log.ts";
import { eventually } from "../../setup/eventually.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";

interface Started {
  /** The process ids of the workers, in the order they started. */
  started(): Promise<number[]>;
  stop: AbortController;
  exitCode: Promise<number>;
  log: ReturnType<typeof collectLog>;
}

/** Supervises workers that run some code, record their id and run some more, until `use` has ended. */
async function supervising(
  { first = "", then = "", count = 1 }: { first?: string; then?: string; count?: number },
  use: (t: Started) => Promise<void>,
): Promise<void> {
  await withTempFolder(async (folder) => {
    const [script, startedFile] = [join(folder, "worker.ts"), join(folder, "started")];
    await Deno.writeTextFile(startedFile, "");
    await Deno.writeTextFile(
      script,
      `${first}\nDeno.writeTextFileSync(${
        JSON.stringify(startedFile)
      }, Deno.pid + "\\n", { append: true });\n${then}`,
    );
    const [stop, log] = [new AbortController(), collectLog()];
    const exitCode = supervise([Deno.execPath(), "run", "-A", "--no-check", "--no-config", script], {
      count,
      signal: stop.signal,
      log: log.log,
      minRestartMs: 10,
    });
    const started = async () =>
      (await Deno.readTextFile(startedFile)).split("\n").filter(Boolean).map(Number);
    try {
      await use({ started, stop, exitCode, log });
    } finally {
      stop.abort();
      await exitCode;
    }
  });
}

const UNTIL_SIGTERM = (code: number) =>
  `Deno.addSignalListener("SIGTERM", () => Deno.exit(${code})); setInterval(() => {}, 1000);`;

Deno.test("supervise() runs so many workers, asks them to stop, and returns 0", () =>
  supervising({ first: UNTIL_SIGTERM(0), count: 3 }, async (t) => {
    await eventually(async () => assert.equal((await t.started()).length, 3));
    t.stop.abort();

    assert.equal(await t.exitCode, 0);
    assert.equal((await t.started()).length, 3);
  }));

Deno.test("supervise() starts a worker again that was killed, and logs that", () =>
  supervising({ first: UNTIL_SIGTERM(0), count: 2 }, async (t) => {
    await eventually(async () => assert.equal((await t.started()).length, 2));
    const [first] = await t.started();

    Deno.kill(first!, "SIGKILL");

    await eventually(async () => assert.equal((await t.started()).length, 3));
    assert.match(JSON.stringify(t.log.entries), /a dispatcher ended and will be started again.*SIGKILL/);
  }));

Deno.test("supervise() waits longer before each start of a worker that ends at once", () =>
  supervising({ then: "Deno.exit(3);" }, async (t) => {
    await eventually(async () => assert.ok((await t.started()).length >= 3));

    assert.match(JSON.stringify(t.log.entries), /"in_ms":10\b.*"in_ms":20\b/);
  }));

Deno.test("supervise() returns 1 when a worker does not stop cleanly", () =>
  supervising({ first: UNTIL_SIGTERM(7) }, async (t) => {
    await eventually(async () => assert.equal((await t.started()).length, 1));
    t.stop.abort();

    assert.equal(await t.exitCode, 1);
  }));
