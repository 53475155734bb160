import assert from "node:assert/strict";
import { join } from "node:path";
import { OPERATIONS } from "../../../cli/outbound/operation.ts";
import { readProfiles, writeProfiles } from "../../../cli/outbound/profiles.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";
import { runOutbound } from "./run_outbound.ts";
import { withRecorder } from "./with_recorder.ts";

Deno.test("every command sends the request of the API document: method, path, body, credential and ETag", () =>
  withTempFolder((folder) =>
    withRecorder(async (baseUrl, arrived) => {
      const document = JSON.parse(
        await Deno.readTextFile(
          new URL("../../../supabase/functions/openapi/document.json", import.meta.url),
        ),
      );
      const env = { OUTBOUND_BASE_URL: baseUrl, OUTBOUND_API_KEY: "the-key", OUTBOUND_TOKEN: "the-token" };
      for (const { id, resource, verb, method, path, example, credentials, body, etagPath } of OPERATIONS) {
        arrived.length = 0;
        const args = await withFile(folder, example);
        const company = path.startsWith("/manage/companies/") ? ["--company-id", "c1"] : [];

        const { code, stderr } = await runOutbound([resource, verb, ...args, ...company, "--yes"], env);

        assert.deepEqual([code, stderr], [0, ""], id);
        const request = arrived.at(-1)!;
        assert.equal(arrived.length, etagPath === undefined ? 1 : 2, id);
        assert.equal(request.method, method, id);
        assert.match(request.path, new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/{}]+")}$`), id);
        if (company.length > 0) assert.match(request.path, /^\/manage\/companies\/c1(\/|$)/, id);
        const usesKey = credentials.length === 0 || credentials.includes("key");
        assert.equal(request.authorization, `Bearer ${usesKey ? "the-key" : "the-token"}`, id);
        if (etagPath !== undefined) assert.equal(request.headers.get("If-Match"), '"seven"', id);
        const documented = document.paths[path][method.toLowerCase()].requestBody?.content;
        const sample = documented?.["application/json"]?.example;
        if (sample !== undefined) assert.deepEqual(JSON.parse(request.text), sample, id);
        if (body !== undefined) assert.ok(request.type! in documented, `${id}: ${request.type}`);
      }
    })
  ));

/** Writes the file that an example names, and names it where it is. */
async function withFile(folder: string, example: string[]): Promise<string[]> {
  const index = example.indexOf("--body") + 1;
  if (index === 0) return example;
  const file = join(folder, example[index]!);
  await Deno.writeTextFile(file, "number\n34600111222\n");
  return example.with(index, file);
}

Deno.test("fields of flags win over those of --body, also inside of fields", () =>
  withRecorder(async (baseUrl, arrived) => {
    const env = { OUTBOUND_BASE_URL: baseUrl, OUTBOUND_API_KEY: "the-key" };
    const body = JSON.stringify({ campaign_name: "Old", contact: { number: "1", name: "Ana" } });

    const flags = ["--campaign-name", "New", "--contact.number", "2"];
    await runOutbound(["notify", "send-notification", "--body", "-", ...flags], env, { stdin: body });

    assert.deepEqual(JSON.parse(arrived[0]!.text), {
      campaign_name: "New",
      contact: { number: "2", name: "Ana" },
    });
  }));

Deno.test("what cannot be undone is refused without a terminal and --yes, and nothing is sent", () =>
  withRecorder(async (baseUrl, arrived) => {
    const env = { OUTBOUND_BASE_URL: baseUrl, OUTBOUND_API_KEY: "the-key" };
    const asking = OPERATIONS.filter(({ asks }) => asks);

    for (const { resource, verb, example } of asking) {
      const { code, stderr } = await runOutbound([resource, verb, ...example], env);
      assert.equal(code, 2);
      assert.match(stderr, /This cannot be undone: add --yes/);
    }

    assert.deepEqual(arrived, []);
    assert.ok(
      asking.some(({ id }) => id === "erasePerson") && asking.some(({ id }) => id === "cancelCampaign"),
    );
  }));

Deno.test("a profile's credential goes to no other address", () =>
  withTempFolder((folder) =>
    withRecorder(async (baseUrl, arrived) => {
      const env = { XDG_CONFIG_HOME: folder };
      await runOutbound(["login", "--base-url", baseUrl, "--key", "-"], env, { stdin: "the-key\n" });
      const elsewhere = baseUrl.replace("127.0.0.1", "localhost");

      const { code, stderr } = await runOutbound(["campaigns", "list", "--base-url", elsewhere], env);
      await runOutbound(["health", "get", "--base-url", elsewhere], env);

      assert.equal(code, 2);
      assert.match(stderr, /Not logged in/);
      assert.deepEqual(arrived.map(({ authorization }) => authorization), ["Bearer the-key", null]);
    })
  ));

Deno.test("--profile wins over the address, key, token and company of the environment, OUTBOUND_PROFILE does not", () =>
  withTempFolder((folder) =>
    withRecorder(async (baseUrl, arrived) => {
      const files = { XDG_CONFIG_HOME: folder };
      const login = ["login", "--base-url", baseUrl, "--profile", "acme", "--key", "-"];
      await runOutbound(login, files, { stdin: "the-key\n" });
      const elsewhere = baseUrl.replace("127.0.0.1", "localhost");
      const env = { ...files, OUTBOUND_API_KEY: "other-key", OUTBOUND_TOKEN: "t", OUTBOUND_COMPANY_ID: "c9" };
      arrived.length = 0;

      await runOutbound(["campaigns", "list", "--profile", "acme"], { ...env, OUTBOUND_BASE_URL: elsewhere });
      await runOutbound(["campaigns", "list"], { ...env, OUTBOUND_PROFILE: "acme" });
      const refused = await runOutbound(
        ["campaigns", "list", "--profile", "acme", "--base-url", elsewhere],
        env,
      );

      assert.deepEqual(
        arrived.map(({ path, authorization, headers }) => [
          headers.get("Host"),
          path,
          authorization,
        ]),
        [
          [new URL(baseUrl).host, "/manage/companies/mine/campaigns", "Bearer the-key"],
          [new URL(baseUrl).host, "/manage/companies/mine/campaigns", "Bearer other-key"],
        ],
      );
      assert.match(refused.stderr, /Not logged in/);
    })
  ));

Deno.test("a session that ends is renewed once, and kept for the next command", () =>
  withTempFolder((folder) =>
    withRecorder(async (baseUrl, arrived) => {
      const env = { XDG_CONFIG_HOME: folder };
      const session = { access_token: "old", refresh_token: "r1", expires_at: 1 };
      const profile = { base_url: baseUrl, email: "ana@acme.test", company_id: "c1", session };
      await writeProfiles(env, { current: "acme", profiles: { acme: profile } });

      await runOutbound(["members", "list"], env);
      await runOutbound(["members", "list"], env);

      assert.deepEqual(arrived.map(({ path, authorization }) => [path, authorization]), [
        ["/auth/refresh", null],
        ["/manage/companies/c1/members", "Bearer new"],
        ["/manage/companies/c1/members", "Bearer new"],
      ]);
      assert.deepEqual(JSON.parse(arrived[0]!.text), { refresh_token: "r1" });
      assert.equal((await readProfiles(env)).profiles.acme!.session!.refresh_token, "r2");
    }, { access_token: "new", refresh_token: "r2", expires_in: 3600 })
  ));

const WRONG: [args: string[], message: RegExp][] = [
  [["campaigns", "destroy"], /Unknown command 'campaigns destroy'/],
  [["nothing"], /Unknown command 'nothing'/],
  [["__proto__"], /Unknown command '__proto__'/],
  [["campaigns", "get"], /Missing CAMPAIGN_ID/],
  [["campaigns", "get", ".."], /campaign_id: expected an id/],
  [["campaigns", "list", "--output", "x"], /takes no --output/],
  [["campaigns", "list", "--body", "x"], /takes no --body/],
  [["campaigns", "list", "--base-url", "nonsense"], /baseUrl: expected a URL/],
  [["contacts", "import"], /Give the file with --body/],
  [["contacts", "import", "--body", "/does/not/exist.csv"], /cannot be read/],
  [["login", "--base-url", "http://127.0.0.1:9", "--key", "secret"], /--key is read from standard input/],
  [["login", "--base-url", "http://127.0.0.1:9", "--profile", "../x", "--key", "-"], /name of a profile/],
  [["profile", "use", "missing"], /No profile 'missing'/],
  [["completion", "cmd"], /bash, zsh or fish/],
  [["send-campaign"], /--file/],
];

Deno.test("a wrong command line ends with 2, a line that says why, and no output", () =>
  withTempFolder(async (folder) => {
    const env = { XDG_CONFIG_HOME: folder, OUTBOUND_BASE_URL: "http://127.0.0.1:9", OUTBOUND_API_KEY: "k" };
    for (const [args, message] of WRONG) {
      const { code, stdout, stderr } = await runOutbound(args, env);
      assert.deepEqual([code, stdout], [2, ""], args.join(" "));
      assert.match(stderr, message);
      assert.equal(stderr.split("\n").length, 2);
    }
  }));
