import assert from "node:assert/strict";
import { join } from "node:path";
import { isRepeatable } from "../../cli/sdk_generate/rules_of_operations.ts";
import { KEYED_OPERATIONS } from "../../sdk/typescript/src/generated/operation_sets.gen.ts";
import { run } from "../clients/make_client.ts";
import { blocksOf, readPage, ROOT } from "../docs/read_page.ts";
import { withPythonClient } from "./python_client.ts";
import { event, stream, withScriptedService } from "./scripted_service.ts";
import { contacts, withClients } from "./with_clients.ts";

const OPERATIONS = join(ROOT, "tests/sdk/programs/operations.py");

/** The caller reads it as it comes, and opens it again. */
const STREAM = "follow_conversation";

/** The requests of an operation to a service that is in trouble. */
interface Called {
  name: string;
  requests: string[];
  /** The `Idempotency-Key` of each. */
  keys: (string | null)[];
}

/** The output of each example. */
const OUTPUT: Record<string, RegExp> = {
  "send.py": /'inquiry_set_id': '[0-9a-f-]{36}'/,
  "campaign.py": /^250 0 \[\]$/,
  "lists.py": /^(First steps|Autumn) (completed|sending)$/m,
  "events.py": /^$/,
  "settings.py": /^$/,
  "errors.py": /^404 not_found Campaign not found None req_\w+ None$/,
  "receive.py": /^$/,
};

/** Fits the types; each line marked with an error does not, and mypy warns of a mark that is needless. */
const STRICT = `
from outbound import AsyncOutbound, Outbound, OutboundError, verify_webhook

outbound = Outbound(base_url="http://127.0.0.1:9", token="t")
for campaign in outbound.campaigns.iter_campaigns(company_id="c"):
    name: str = campaign["campaign_name"]
    wrong: int = campaign["campaign_name"]  # type: ignore[assignment]
outbound.campaigns.list_campaigns(limit="2")  # type: ignore[arg-type]
outbound.settings.change_settings({"call_gap_s": "1"}, if_match="*")  # type: ignore[typeddict-item]
event = verify_webhook(b"{}", {}, "whsec_")
if event["type"] == "notification.failed":
    code: str | None = event["data"]["error_code"]


def code_of(error: OutboundError) -> str:
    return error.code


async def settings(outbound: AsyncOutbound) -> str:
    data, etag = await outbound.with_etag(outbound.settings.get_settings)
    gap: int = data["call_gap_s"]
    return etag
`;

/** Sends a request that has no time, where there is no service. */
const WITHOUT_TIME = `
import sys
from outbound import Outbound, OutboundError

outbound = Outbound(base_url="http://127.0.0.1:9/functions/v1", access_key="k", **{sys.argv[1]: 0})
try:
    outbound.campaigns.list_campaigns()
except Exception as error:
    print(isinstance(error, OutboundError))`;

/** Prints the first four events of a company. */
const FOLLOWING = `
from itertools import islice
from outbound import Outbound

found = []
for event_id, event in islice(Outbound(token="t").events("c"), 4):
    found.append(" ".join([event["type"], *map(str, event["data"].values()), event_id]))
print(", ".join(found))`;

Deno.test("the Python client: its types and its examples", (t) =>
  withPythonClient(t.name, async ({ folder, python, tools }) => {
    const examples = blocksOf(await readPage("sdk/python/README.md")).filter(({ file }) => file !== "");
    for (const { file, lines } of examples) await Deno.writeTextFile(join(folder, file), lines.join("\n"));
    await Deno.writeTextFile(join(folder, "strict.py"), STRICT);
    const mypy = [tools, "-m", "mypy", "--strict", "--python-executable", python, "--cache-dir", "/dev/null"];

    await t.step("the client is clean under mypy --strict, also for the oldest Python", async () => {
      for (const version of ["3.10", "3.14"]) {
        await run(join(ROOT, "sdk/python/src"), [...mypy, "--python-version", version, "-p", "outbound"]);
      }
    });

    await t.step(
      "a strict program fits the types of the wheel",
      () => run(folder, [...mypy, "strict.py"]).then(() => {}),
    );

    await t.step(
      "both clients have every operation, and repeat those alone that may arrive twice",
      async () => {
        const called: Called[] = JSON.parse(await run(folder, [python, OPERATIONS]));

        const { paths } = JSON.parse(await readPage("supabase/functions/openapi/document.json"));
        const expected = Object.keys(paths).filter((path) => !path.startsWith("/openapi")).flatMap((path) =>
          Object.keys(paths[path]).map((verb) => `${verb.toUpperCase()} ${path}`)
        );
        const documented = new Map(
          expected.map((operation) => [operation.replaceAll(/\{\w+\}/g, "x"), operation]),
        );
        const found = called.map(({ requests }) => documented.get(requests[0]!.replace("/mine", "/x"))!);
        assert.deepEqual([...new Set(found)].sort(), expected.sort());
        for (const [index, { name, requests, keys }] of called.entries()) {
          const [verb, path] = found[index]!.split(" ") as [string, string];
          const takesKey = verb === "POST" && KEYED_OPERATIONS.has(path);
          const mayRepeat = takesKey || isRepeatable(verb, path) && name !== STREAM;
          assert.equal(requests.length, mayRepeat ? 2 : 1, name);
          assert.deepEqual([new Set(keys).size, keys[0] !== null], [1, takesKey], name);
        }
      },
    );

    await t.step(
      "every example of README.md fits the types, runs, and prints what it says",
      () =>
        withClients(async (t) => {
          const env = {
            OUTBOUND_BASE_URL: t.baseUrl,
            OUTBOUND_API_KEY: t.key.key,
            SENDER: t.sender.number,
            TOKEN: await t.logIn(t.owner),
            COMPANY: t.company.id,
          };
          assert.deepEqual(examples.map(({ file }) => file), Object.keys(OUTPUT));
          await run(folder, [...mypy, ...Object.keys(OUTPUT)]);
          await t.whileDispatching(async () => {
            for (const [file, expected] of Object.entries(OUTPUT)) {
              assert.match(await run(folder, [python, file], env), expected, file);
            }
          });
        }),
    );

    await t.step("limits of nothing end with an error of the client", async () => {
      for (const limit of ["timeout", "total_timeout"]) {
        assert.equal(await run(folder, [python, "-c", WITHOUT_TIME, limit]), "True", limit);
      }
    });

    await t.step("events() goes on with the last id, and yields half an update once", () => {
      const campaign = (name: string, sent = 0) => event("campaign", { campaign_id: name, sent });
      const steps = [
        stream(event("ready", {}, 1), campaign("a")),
        stream(campaign("a"), campaign("b"), event("ready", {}, 2)),
        stream(campaign("b"), campaign("a", 5), event("ready", {}, 3)),
      ];
      return withScriptedService(steps, async ({ baseUrl, seen }) => {
        const env = { OUTBOUND_BASE_URL: baseUrl };

        const found = await run(folder, [python, "-c", FOLLOWING], env);

        assert.equal(found, "ready 1, campaign a 0 1, campaign b 0 2, campaign a 5 3");
        assert.deepEqual(seen.map(({ headers }) => headers.get("last-event-id")), [null, "1", "2"]);
      });
    });

    await t.step("the commands of docs/python.md work as pasted", () =>
      withClients(async (t) => {
        const blocks = blocksOf(await readPage("docs/python.md")).filter(({ language }) =>
          language === "bash"
        );
        const demo = { access_key: t.key.key, sender: t.sender.number };
        await t.keyClient().sendCampaign({ ...t.notification, campaign_name: "Spring" }, contacts(1));
        await Deno.symlink(join(ROOT, "sdk"), join(folder, "sdk"));
        await Deno.mkdir(join(folder, ".outbound"));
        const stack = JSON.stringify({ base_url: t.baseUrl, demo });
        await Deno.writeTextFile(join(folder, ".outbound/stack.json"), stack);
        const text = blocks.map(({ lines }) => lines.join("\n")).join("\n");
        const commands = text.replaceAll("/tmp/outbound-python", join(folder, "environment"));

        await t.whileDispatching(async () => {
          const output = await run(folder, ["bash", "-euc", commands]);

          assert.match(output, /^Spring \w+\n\{.*'status': 'completed'/);
        });
      }));

    await t.step("threads share a client", () =>
      withClients(async (t) => {
        const program = `
import json, os
from concurrent.futures import ThreadPoolExecutor
from outbound import Outbound

with Outbound() as outbound, ThreadPoolExecutor(8) as threads:
    contacts = json.loads(os.environ["CONTACTS"])
    notification = json.loads(os.environ["NOTIFICATION"])
    sent = threads.map(lambda contact: outbound.send_campaign(notification, [contact]).processed, contacts)
    print(sum(sent))`;
        const env = {
          OUTBOUND_BASE_URL: t.baseUrl,
          OUTBOUND_API_KEY: t.key.key,
          CONTACTS: JSON.stringify(contacts(40)),
          NOTIFICATION: JSON.stringify(t.notification),
        };

        assert.equal(await run(folder, [python, "-c", program], env), "40");
      }));
  }));
