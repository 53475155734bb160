import assert from "node:assert/strict";
import { join } from "node:path";
import { withTempFolder } from "../setup/temp_folder.ts";
import { checkTypes } from "./check_types.ts";

Deno.test("checkTypes() reports the files whose types do not fit, and nothing else", () =>
  withTempFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "good.ts"), "export const x: number = 1;");
    await Deno.writeTextFile(join(folder, "bad.ts"), 'export const y: number = "text";');

    assert.equal(await checkTypes(folder, ["good.ts"]), undefined);
    assert.match(await checkTypes(folder, []) ?? "", /bad\.ts/);
  }));
