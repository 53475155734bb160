import assert from "node:assert/strict";
import { join } from "node:path";
import { withPackedClient } from "../../sdk/packed_client.ts";
import { type Clients, contacts, withClients } from "../../sdk/with_clients.ts";
import { type Outcome, type ProcessOptions, runProcess } from "../run_process.ts";
import { withRecorder } from "./with_recorder.ts";

/** The installed program, run by Node in a home of its own. */
interface Installed extends Clients {
  file: string;
  run(args: string[], options?: Partial<Pick<ProcessOptions, "stdin" | "env">>): Promise<Outcome>;
}

async function withInstalled(fn: (t: Installed) => Promise<void>): Promise<void> {
  await withPackedClient((folder) =>
    withClients(async (clients) => {
      const program = join(folder, "node_modules/.bin/outbound");
      const home = { XDG_CONFIG_HOME: join(folder, "config") };
      await fn({
        ...clients,
        file: join(folder, "config/outbound/profiles.json"),
        run: (args, { stdin = "", env = {} } = {}) =>
          runProcess(program, { args, cwd: folder, env: { ...home, ...env }, stdin }),
      });
    })
  );
}

const STEPS: Record<string, (t: Installed) => Promise<void>> = {
  async "a stranger's path: log in, send a file, read lists, cancel, log out"(
    { run, file, baseUrl, owner, company, key, notification, whileDispatching },
  ) {
    const { email, password } = owner;

    const login = await run(["login", "--base-url", baseUrl, "--email", email, "--password", "-"], {
      stdin: `${password}\n`,
    });

    assert.deepEqual([login.code, login.stderr], [0, ""]);
    assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
    const kept = JSON.parse(await Deno.readTextFile(file)).profiles.default;
    assert.deepEqual([kept.email, kept.company_id, kept.base_url], [email, company.id, baseUrl]);
    assert.ok(!JSON.stringify(kept).includes(password));

    const people = contacts(150).concat({ number: "34600110000", name: "Unreachable" });
    const csv = ["number,name", ...people.map(({ number, name }) => `${number},${name}`)].join("\n");
    const flags = Object.entries(notification).flatMap(([name, value]) =>
      typeof value === "string"
        ? [`--${name.replaceAll("_", "-")}`, value]
        : Object.entries(value).flatMap(([field, text]) => [`--components-push.${field}`, text])
    );
    let campaignId = "";
    await whileDispatching(async () => {
      const sent = await run(["send-campaign", "--file", "-", ...flags, "--json"], { stdin: csv });
      assert.deepEqual([sent.code, sent.stderr], [0, ""]);
      const { campaign_id, processed, rejected, status } = JSON.parse(sent.stdout);
      assert.deepEqual([processed, rejected, status.status], [151, 0, "completed"]);
      campaignId = campaign_id;
    });

    const list = await run(["campaigns", "list"]);
    const one = await run(["campaigns", "get", campaignId, "--json"]);
    const recipients = await run([
      "campaigns",
      "list-recipients",
      campaignId,
      "--limit",
      "50",
      "--all",
      "--json",
    ]);
    const cancelled = await run(["campaigns", "cancel", campaignId, "--yes"]);
    const lines = recipients.stdout.trim().split("\n").map((line) => JSON.parse(line).number);

    assert.match(list.stdout, new RegExp(`^CAMPAIGN_ID .*\n${campaignId} `));
    assert.equal(JSON.parse(one.stdout).campaign_name, notification.campaign_name);
    assert.deepEqual(lines.sort(), people.map(({ number }) => number).sort());
    assert.match(cancelled.stdout, /changed +0/);

    const missing = await run(["campaigns", "get", crypto.randomUUID(), "--json"]);
    assert.equal(missing.code, 1);
    assert.equal(JSON.parse(missing.stdout).error.code, "not_found");
    assert.match(missing.stderr, /^Campaign not found \(not_found, request req_\w+\)\n$/);
    const wrong = await run(["campaigns", "list", "--limit", "many"]);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /\(validation_failed, field limit, request req_\w+\)/);

    const printed = [login, list, one, recipients, cancelled, missing].map(({ stdout, stderr }) =>
      stdout + stderr
    );
    assert.ok(!printed.join().includes(key.key), "the key was printed");
    assert.equal((await run(["profile", "remove", "default"])).code, 0);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(file)).profiles, {});
    assert.match((await run(["campaigns", "list"])).stderr, /No address/);
  },

  async "with a key: profiles, the environment first, and settings with their ETag"(
    { run, file, baseUrl, key, company, owner, ...t },
  ) {
    const login = await run(["login", "--base-url", baseUrl, "--profile", "acme", "--key", "-"], {
      stdin: `${key.key}\n`,
    });
    const refused = await run(["login", "--base-url", baseUrl, "--profile", "other", "--key", "-"], {
      stdin: "outbound_no_such_key",
    });
    const profiles = await run(["profile", "list"]);

    assert.equal(login.code, 0);
    assert.equal(refused.code, 1);
    assert.match(profiles.stdout, /^NAME .*\nacme +yes .* access key/);
    assert.ok(![login, profiles].some(({ stdout, stderr }) => (stdout + stderr).includes(key.key)));
    assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);

    const templates = await run(["notify", "list-templates", "--phone-number", t.sender.number, "--json"]);
    assert.equal(JSON.parse(templates.stdout)[0].name, t.template.name);
    const byWrongKey = await run(["campaigns", "list"], {
      env: { OUTBOUND_API_KEY: "outbound_no_such_key" },
    });
    assert.equal(byWrongKey.code, 1);
    assert.match(byWrongKey.stderr, /unauthorized/);

    const env = { OUTBOUND_TOKEN: await t.logIn(owner), OUTBOUND_COMPANY_ID: company.id };
    const changed = await run(["settings", "change", "--call-gap-s", "61"], { env });
    const stale = await run(["settings", "change", "--call-gap-s", "62", "--if-match", '"old"'], { env });
    assert.deepEqual([changed.code, changed.stderr], [0, ""]);
    assert.match(stale.stderr, /precondition_failed/);
  },

  async "a file from standard input arrives as it is"({ run }) {
    const stdin = Uint8Array.from({ length: 256 }, (_, index) => index);

    await withRecorder(async (baseUrl, arrived) => {
      const env = { OUTBOUND_BASE_URL: baseUrl, OUTBOUND_API_KEY: "the-key" };
      const args = ["media", "upload", "--body", "-", "--content-type", "image/png"];
      assert.equal((await run(args, { env, stdin })).code, 0);

      assert.deepEqual([arrived[0]!.type, arrived[0]!.bytes], ["image/png", stdin]);
    });
  },

  async "texts of strangers cannot steer the terminal"({ run, baseUrl, company, owner, logIn, sql }) {
    const attack = "\x1b]0;owned\x07\x1b[2J\u202eevil\x9b31m\nnext";
    const env = {
      OUTBOUND_BASE_URL: baseUrl,
      OUTBOUND_TOKEN: await logIn(owner),
      OUTBOUND_COMPANY_ID: company.id,
    };
    await sql`update outbound.companies set name = ${attack} where id = ${company.id}`;

    const table = await run(["companies", "list"], { env });
    const json = await run(["companies", "list", "--json"], { env });
    const error = await run(["campaigns", "get", attack], { env });

    assert.equal(JSON.parse(json.stdout).companies[0].name, attack);
    for (const text of [table.stdout, json.stdout, error.stderr]) {
      // deno-lint-ignore no-control-regex
      assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
    }
    assert.equal(table.stdout.split("\n").length, 3, table.stdout);
  },
};

Deno.test("npx outbound, installed by npm and run by Node", (test) =>
  withInstalled(async (t) => {
    for (const [title, step] of Object.entries(STEPS)) await test.step(title, () => step(t));
  }));
