import assert from "node:assert/strict";
import { parse } from "yaml";
import { makeClient, need, run } from "../clients/make_client.ts";
import { forward, lose } from "../sdk/behaviour_setup.ts";
import { withScriptedService } from "../sdk/scripted_service.ts";
import { withClients } from "../sdk/with_clients.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { readRecipe } from "./read_recipe.ts";

const { files: [file] } = await readRecipe("GitHub Actions");
const workflow: JsonObject = parse(file!.lines.join("\n"));

Deno.test("the workflow for GitHub Actions sends once per result, also when a response is lost", ({ name }) =>
  makeClient(name, async (folder) => {
    await need("bash", "curl", "jq");
    await withClients(async (t) => {
      const step = forward(t);
      await withScriptedService([lose(step), step], async ({ baseUrl, seen }) => {
        const contexts = {
          vars: { OUTBOUND_BASE_URL: baseUrl, SENDER: t.sender.number, ON_CALL: "34600111222" },
          secrets: { OUTBOUND_API_KEY: t.key.key },
          github: { repository: `shop/"site" $(touch run) \`touch run\``, run_id: 17 },
        };
        const notify = async (result: string) => {
          const [{ env, run: script }] = workflow.jobs.notify.steps;
          const values = evaluate(env, { ...contexts, needs: { deploy: { result } } });
          return await run(folder, ["bash", "-eo", "pipefail", "-c", script], values);
        };

        for (const result of ["failure", "failure", "success"]) {
          assert.match(await notify(result), /"inquiry_set_id"/);
        }

        const keys = seen.map(({ headers }) => headers.get("Idempotency-Key"));
        assert.deepEqual(keys, [...Array(3).fill("deploy-17-failure"), "deploy-17-success"]);
        const stored = await t.sql`
          select message::text as message from outbound.notifications
          where company_id = ${t.company.id} order by created_at`;
        assert.equal(stored.length, 2);
        assert.match(stored[0]!.message, /touch run.*failure/);
        assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);

        const wrong = { ...contexts, secrets: { OUTBOUND_API_KEY: "outbound_no_such_key" } };
        Object.assign(contexts, wrong);
        await assert.rejects(notify("success"), /unauthorized/);
      });
    });
  }));

Deno.test("the workflow for GitHub Actions reports every end, and no text of others is in a script", () => {
  const { deploy, notify } = workflow.jobs;
  assert.deepEqual([notify.needs, notify.if], ["deploy", "always()"]);
  assert.deepEqual(workflow.permissions, { contents: "read" });
  for (const { run } of [...deploy.steps, ...notify.steps]) assert.ok(!run.includes("${{"), run);
});

/** Puts the values of the contexts in, as the runner does; GitHub sets an unknown one to an empty text. */
function evaluate(env: Record<string, string>, contexts: JsonObject): Record<string, string> {
  const valueOf = (path: string) => path.split(".").reduce((value, name) => value?.[name], contexts) ?? "";
  return Object.fromEntries(
    Object.entries(env).map(([name, text]) => [
      name,
      text.replaceAll(/\$\{\{ ([\w.]+) \}\}/g, (_, path) => String(valueOf(path))),
    ]),
  );
}
