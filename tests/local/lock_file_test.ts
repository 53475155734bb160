import assert from "node:assert/strict";
import { lockFile } from "../../local/lock_file.ts";
import { withTempFolder } from "../setup/temp_folder.ts";

Deno.test("lockFile() is not held up by a file that a dead process left", () =>
  withTempFolder(async (folder) => {
    const path = `${folder}/lock`;
    await Deno.writeTextFile(path, "12345");

    const lock = await lockFile(path);

    assert.ok(lock);
    assert.equal(await lockFile(path), undefined);
    lock.release();
    const again = await lockFile(path);
    assert.ok(again);
    again.release();
  }));
