import assert from "node:assert/strict";
import { VERSION } from "../supabase/functions/_shared/values/version.ts";

const ROOT = new URL("../", import.meta.url);
const README = await Deno.readTextFile(new URL("README.md", ROOT));

Deno.test("README.md stays short enough to be read", () => {
  assert.ok(README.split("\n").length < 120);
});

Deno.test("README.md names the command that CI runs the tests with, and its shorter form", async () => {
  const ci = await Deno.readTextFile(new URL(".ci/run", ROOT));
  const [, deno = ""] = /^deno=\((.*)\)$/m.exec(ci) ?? [];
  const command = ci.trimEnd().split("\n").at(-1)!.replace('"${deno[@]}"', deno);

  assert.match(command, / task test --all$/);
  const short = command.replace(/ --all$/, "");
  assert.ok(README.split("\n").includes(short), short);
  assert.ok(README.includes("`task test --all`"));
});

Deno.test("the version is stated once", async () => {
  const changelog = await Deno.readTextFile(new URL("CHANGELOG.md", ROOT));
  const [, newest] = /^## (.*)$/m.exec(changelog) ?? [];

  assert.ok([`Unreleased (${VERSION})`, VERSION].includes(newest!), `CHANGELOG.md begins with ${newest}`);
  for (const file of ["deno.json", "widget/deno.json", "sdk/widget/deno.json"]) {
    const config = JSON.parse(await Deno.readTextFile(new URL(file, ROOT)));
    assert.equal(config.version, undefined, `${file} states a version of its own`);
  }
});
