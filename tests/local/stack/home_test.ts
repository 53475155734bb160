import assert from "node:assert/strict";
import { openHome } from "../../../local/stack/home.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";

Deno.test("openHome() makes the folder for its owner only, and again when it is there", () =>
  withTempFolder(async (folder) => {
    const home = `${folder}/deep/home`;

    (await openHome(home)).release();
    await Deno.chmod(home, 0o755);
    (await openHome(home)).release();

    assert.equal((await Deno.stat(home)).mode! & 0o777, 0o700);
  }));

Deno.test("openHome() lets one in at a time", () =>
  withTempFolder(async (home) => {
    const lock = await openHome(home);

    await assert.rejects(openHome(home), { name: "StackError", message: /is in use/ });

    lock.release();
    (await openHome(home)).release();
  }));
