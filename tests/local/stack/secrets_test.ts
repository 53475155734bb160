import assert from "node:assert/strict";
import { loadSecrets } from "../../../local/stack/secrets.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";

Deno.test("loadSecrets() makes secrets once and keeps them, for their owner only", () =>
  withTempFolder(async (home) => {
    const first = await loadSecrets(home);
    const second = await loadSecrets(home);

    assert.deepEqual(second, first);
    assert.equal((await Deno.stat(`${home}/secrets.json`)).mode! & 0o777, 0o600);
  }));

Deno.test("loadSecrets() makes different secrets for every home", () =>
  withTempFolder((one) =>
    withTempFolder(async (other) => {
      const [a, b] = [await loadSecrets(one), await loadSecrets(other)];

      for (const [name, value] of Object.entries(a)) {
        assert.notDeepEqual(b[name as keyof typeof b], value, name);
      }
    })
  ));

Deno.test("loadSecrets() adds what an older file lacks and leaves the rest", () =>
  withTempFolder(async (home) => {
    const { DEMO_PASSWORD: _, ...older } = await loadSecrets(home);
    await Deno.writeTextFile(`${home}/secrets.json`, JSON.stringify(older));

    const { DEMO_PASSWORD, ...rest } = await loadSecrets(home);

    assert.deepEqual(rest, older);
    assert.equal((await loadSecrets(home)).DEMO_PASSWORD, DEMO_PASSWORD);
  }));

for (const text of ["{", "[]", '{"OUTBOUND_SECRETS_KEY": 1}']) {
  Deno.test(`loadSecrets() refuses a damaged file rather than replace it: ${text}`, () =>
    withTempFolder(async (home) => {
      await Deno.writeTextFile(`${home}/secrets.json`, text);

      await assert.rejects(loadSecrets(home), { name: "StackError" });

      assert.equal(await Deno.readTextFile(`${home}/secrets.json`), text);
    }));
}
