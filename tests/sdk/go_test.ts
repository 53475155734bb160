import assert from "node:assert/strict";
import { join } from "node:path";
import { install, makeClient, need, run, TOOLS } from "../clients/make_client.ts";
import { blocksOf, readPage } from "../docs/read_page.ts";
import { startCuttingProxy } from "../faults/database/cutting_proxy.ts";
import { BASE_PATH } from "../setup/http/http.ts";
import { buildGoProgram, GO_SOURCES, runGo, withGoClient } from "./go_client.ts";
import { ROOT } from "./packed_client.ts";
import { type Clients, contacts, withClients } from "./with_clients.ts";

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

Deno.test("the Go client refuses, repeats and follows as the others do", (t) =>
  withGoClient(t.name, async (folder) => {
    const program = await buildGoProgram(folder);
    for (const [behaviour, check] of Object.entries(BEHAVIOURS)) {
      await t.step(
        behaviour,
        () =>
          withClients((t) =>
            check(
              t,
              async (env, input) =>
                JSON.parse(await run(folder, [program, behaviour], { ...env, INPUT: JSON.stringify(input) })),
            )
          ),
      );
    }
  }));

// deno-lint-ignore no-explicit-any
type Run = (env: Record<string, string>, input: object) => Promise<any>;

/** Behaviours of the program, over the running service. */
const BEHAVIOURS: Record<string, (t: Clients, run: Run) => Promise<void>> = {
  async refused(t, run) {
    const error = await run(await environmentOf(t), { ...one(t), contact: { number: "12" } });

    assert.deepEqual(error, {
      class: "Error",
      code: "validation_failed",
      status: 400,
      field: "contact.number",
      has_request_id: true,
    });
  },
  async lost_response(t, run) {
    let connections = 0;
    await withProxy(t, () => connections++ < 2 ? 0 : Infinity, async (env, cuts) => {
      const { campaign_id } = await run(env, one(t));

      assert.equal(cuts(), 2);
      assert.deepEqual(await campaignsOf(t), [[campaign_id, 1]]);
    });
  },
  async send_campaign(t, run) {
    const input = { notification: t.notification, contacts: contacts(250), idempotency_key: "autumn" };
    const sent = [await run(await environmentOf(t), input), await run(await environmentOf(t), input)];

    assert.deepEqual(sent[0], sent[1]);
    assert.equal(sent[0].accepted, 250);
    assert.deepEqual(await campaignsOf(t), [[sent[0].campaign_id, 250]]);
  },
  async events(t, run) {
    const cutAfter = [600, 900, 2500];
    await withProxy(t, () => cutAfter.shift() ?? Infinity, async (env, cuts) => {
      const names = Array.from({ length: 8 }, (_, index) => `Campaign ${index}`);
      const followed = await run(env, { ...one(t), names, token: env.TOKEN, company_id: t.company.id });

      assert.deepEqual(followed, { missing: 0, doubles: 0 });
      assert.ok(cuts() >= 2, `${cuts()} cuts`);
    });
  },
};

function one({ notification }: Clients) {
  return { notification, contact: contacts(1)[0]! };
}

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

/** Calls `fn` with the variables that lead through a proxy, which cuts each response after so many bytes. */
async function withProxy(
  t: Clients,
  down: () => number,
  fn: (env: Record<string, string>, cuts: () => number) => Promise<void>,
): Promise<void> {
  const proxy = startCuttingProxy(Number(new URL(t.url).port), () => ({ up: Infinity, down: down() }));
  try {
    const OUTBOUND_BASE_URL = `http://127.0.0.1:${proxy.port}${BASE_PATH}`;
    await fn({ ...await environmentOf(t), OUTBOUND_BASE_URL }, proxy.cuts);
  } finally {
    await proxy.close();
  }
}

/** The company's campaigns, each with how many messages it has. */
async function campaignsOf({ sql, company }: Clients): Promise<[string, number][]> {
  const rows = await sql<{ campaign_id: string; count: number }[]>`
    select campaign_id, count(*)::int as count from outbound.notifications
    where company_id = ${company.id} group by campaign_id`;
  return rows.map(({ campaign_id, count }) => [campaign_id, count]);
}
