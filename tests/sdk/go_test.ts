import assert from "node:assert/strict";
import { join } from "node:path";
import { install, makeClient, need, run, TOOLS } from "../clients/make_client.ts";
import { blocksOf, readPage } from "../docs/read_page.ts";
import { buildGoProgram, GO_SOURCES, runGo, withGoClient } from "./go_client.ts";
import { ROOT } from "./packed_client.ts";
import { type Clients, withClients } from "./with_clients.ts";

const STATICCHECK = "honnef.co/go/tools/cmd/staticcheck@v0.8.2";

/** The output of each example; none for a server. */
const OUTPUT: Record<string, RegExp | undefined> = {
  "send.go": /^[0-9a-f-]{36}$/,
  "campaign.go": /^250 0$/,
  "lists.go": /^(First steps|Autumn) (completed|sending)$/m,
  "events.go": /^$/,
  "settings.go": /^$/,
  "errors.go": /^404 not_found Campaign not found {2}req_\w+$/,
  "receive.go": undefined,
};

Deno.test("the Go client is formatted, and go vet and staticcheck find nothing in it", ({ name }) =>
  withGoClient(name, async (folder) => {
    await buildGoProgram(folder);

    assert.equal(await run(folder, ["gofmt", "-l", GO_SOURCES, folder]), "");
    for (const sources of [GO_SOURCES, folder]) await runGo(sources, "vet", "./...");
    const bin = join(TOOLS, "staticcheck-0.8.2");
    await install(folder, ["go", "install", STATICCHECK], { GOBIN: bin, GOFLAGS: "" });
    for (const sources of [GO_SOURCES, folder]) await run(sources, [join(bin, "staticcheck"), "./..."]);
  }));

Deno.test("the tests of the Go client pass, and its race detector finds nothing", ({ name }) =>
  withGoClient(name, async () => {
    await need("gcc");
    await run(GO_SOURCES, ["go", "test", "-race", "-count=1", "./..."], { CGO_ENABLED: "1" });
  }));

Deno.test("every example of sdk/go/README.md compiles, runs, and prints what it says", ({ name }) =>
  withGoClient(name, (folder) =>
    withClients(async (t) => {
      const blocks = blocksOf(await readPage("sdk/go/README.md")).filter(({ file }) => file !== "");
      const env = await environmentOf(t);

      assert.deepEqual(blocks.map(({ file }) => file), Object.keys(OUTPUT));
      await t.whileDispatching(async () => {
        for (const { file, lines } of blocks) {
          await Deno.writeTextFile(join(folder, "main.go"), `${lines.join("\n")}\n`);
          assert.equal(await run(folder, ["gofmt", "-l", "main.go"]), "", file);
          await runGo(folder, "build", "-o", "program", ".");
          const expected = OUTPUT[file];
          if (expected) assert.match(await run(folder, ["./program"], env), expected, file);
        }
      });
    })));

Deno.test("the lines of docs/go.md work as pasted", ({ name }) =>
  makeClient(name, async (folder) => {
    await need("go", "node");
    await withClients(async (t) => {
      const { baseUrl, key, sender } = t;
      const demo = { access_key: key.key, sender: sender.number };
      await Deno.mkdir(join(folder, ".outbound"));
      await Deno.writeTextFile(
        join(folder, ".outbound/stack.json"),
        JSON.stringify({ base_url: baseUrl, demo }),
      );
      await Deno.symlink(join(ROOT, "sdk"), join(folder, "sdk"));
      const script = blocksOf(await readPage("docs/go.md")).filter(({ language }) => language === "bash")
        .map(({ lines }) => lines.join("\n")).join("\n").replaceAll(
          "/tmp/outbound-go",
          join(folder, "first"),
        );
      await t.whileDispatching(async () => {
        const output = await run(folder, ["bash", "-euc", script], { GOFLAGS: "-buildvcs=false" });

        assert.match(output, /^From Go completed$/m);
      });
    });
  }));

/** The variables of a program that uses the service. */
async function environmentOf(t: Clients): Promise<Record<string, string>> {
  return {
    OUTBOUND_BASE_URL: t.baseUrl,
    OUTBOUND_API_KEY: t.key.key,
    SENDER: t.sender.number,
    EMAIL: t.owner.email,
    PASSWORD: t.owner.password,
    TOKEN: await t.logIn(t.owner),
    COMPANY: t.company.id,
  };
}
