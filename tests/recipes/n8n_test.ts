import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createRequire } from "node:module";
import { newSigningSecret, signEvent } from "../../supabase/functions/_shared/events_out/signing.ts";
import { readPage } from "../docs/read_page.ts";
import { withClients } from "../sdk/with_clients.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { readRecipe } from "./read_recipe.ts";

const { nodes, connections }: JsonObject = JSON.parse(await readPage("docs/recipes/n8n.json"));

function nodeOf(name: string): JsonObject {
  return nodes.find((node: JsonObject) => node.name === name) ?? assert.fail(`no node ${name}`);
}

/** Evaluates a parameter as n8n does: after `=` it is text with expressions in double braces. */
function evaluate(parameter: string, variables: JsonObject): string {
  if (!parameter.startsWith("=")) return parameter;
  const names = Object.keys(variables);
  return parameter.slice(1).replaceAll(
    /\{\{(.*?)\}\}/g,
    (_, expression) => String(new Function(...names, `return ${expression}`)(...Object.values(variables))),
  );
}

/** Makes the request of a node, with the credential that a reader gives it. */
function requestOf({ parameters }: JsonObject, variables: JsonObject, authorization: string): Request {
  const pairs = parameters.headerParameters.parameters.map(({ name, value }: JsonObject) =>
    [name, evaluate(value, variables)] as [string, string]
  );
  return new Request(evaluate(parameters.url, variables), {
    method: parameters.method,
    headers: [...pairs, ["Content-Type", "application/json"], ["Authorization", authorization]],
    body: evaluate(parameters.jsonBody, variables),
  });
}

Deno.test("the workflow for n8n sends once per order, with any name", () =>
  withClients(async (t) => {
    const $env = { OUTBOUND_BASE_URL: t.baseUrl, SENDER: t.sender.number };
    const body = { order: "A-1001", number: "34600111222", name: `Ana "La Jefa" O'Hara \\` };
    const send = () => fetch(requestOf(nodeOf("Send"), { $env, $json: { body } }, `Bearer ${t.key.key}`));

    const [first, again] = [await send(), await send()];

    assert.equal(first.status, 200, await first.clone().text());
    assert.deepEqual(await again.json(), await first.json());
    const stored = await t.sql`
      select number, metadata->>'order' as order, message::text as message from outbound.notifications
      where company_id = ${t.company.id}`;
    assert.deepEqual(stored.map(({ number, order }) => [number, order]), [[body.number, body.order]]);
    assert.ok(stored[0]!.message.includes("La Jefa"));
  }));

Deno.test("the workflow for n8n lets strangers in nowhere, repeats what failed, and responds at the end", () => {
  assert.equal(nodeOf("Order placed").parameters.authentication, "headerAuth");
  assert.equal(nodeOf("Send").retryOnFail, true);
  const { responseMode, options } = nodeOf("Event").parameters;
  assert.deepEqual([responseMode, options], ["lastNode", { rawBody: true }]);
  assert.deepEqual(connections.Event.main[0].map(({ node }: JsonObject) => node), ["Verify"]);
  for (const [from, { main }] of Object.entries<JsonObject>(connections)) {
    nodeOf(from);
    for (const { node } of main.flat()) nodeOf(node);
  }
  const [condition] = nodeOf("Did not arrive?").parameters.conditions.conditions;
  assert.deepEqual([condition.leftValue, condition.rightValue], ["={{ $json.type }}", "notification.failed"]);
});

Deno.test("the code step for n8n, as on the page, takes signed events alone", async () => {
  const { files: [onPage] } = await readRecipe("n8n");
  const { jsCode } = nodeOf("Verify").parameters;
  const secret = newSigningSecret();
  const verify = async (body: string, headers: Record<string, string>) => {
    const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
    const step = new AsyncFunction("require", "Buffer", "$env", "$input", jsCode);
    const helpers = { getBinaryDataBuffer: () => Promise.resolve(Buffer.from(body)) };
    const input = { first: () => ({ json: { headers } }) };
    return await step.call(
      { helpers },
      createRequire(import.meta.url),
      Buffer,
      { WEBHOOK_SECRET: secret },
      input,
    );
  };
  const sign = (payload: string, keys: string[], at = new Date()) =>
    signEvent(keys, { id: "evt_1", at, payload });
  const payload = '{ "type": "notification.failed", "data": { "text": "ñ" } }';

  assert.equal(jsCode, onPage!.lines.join("\n"));
  assert.deepEqual(await verify(payload, sign(payload, [newSigningSecret(), secret])), [
    { json: JSON.parse(payload) },
  ]);
  const refused: [string, Record<string, string>][] = [
    [payload, {}],
    [payload, { ...sign(payload, [secret]), "webhook-signature": "v1," }],
    [payload, { ...sign(payload, [secret]), "webhook-timestamp": "soon" }],
    [`${payload} `, sign(payload, [secret])],
    [JSON.stringify(JSON.parse(payload)), sign(payload, [secret])],
    [payload, sign(payload, [newSigningSecret()])],
    [payload, sign(payload, [secret], new Date(Date.now() - 600_000))],
  ];
  for (const [body, headers] of refused) await assert.rejects(verify(body, headers), JSON.stringify(headers));
});
