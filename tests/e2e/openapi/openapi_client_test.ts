import assert from "node:assert/strict";
import { resolve } from "node:path";
import { runDevProgram } from "../../../cli/dev_program.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { readDocument, withServices } from "../../setup/stack/services.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";

/** A client written against the generated types: each call has the document's own example as its body. */
function clientCode(exampleOf: (path: string) => JsonObject): string {
  const body = (path: string) => JSON.stringify(exampleOf(path));
  return `
import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

const client = createClient<paths>({ baseUrl: "http://127.0.0.1:9/functions/v1" });
const query = { access_key: "outbound_x" };

const sent = await client.POST("/notify", { params: { query }, body: ${body("/notify")} });
// With \`dry_run=true\` the response has another form.
if (sent.data && !("dry_run" in sent.data)) console.log(sent.data.success, sent.data.inquiry_set_id.length);
const called = await client.POST("/notify/voice", { params: { query }, body: ${body("/notify/voice")} });
if (called.data && !("dry_run" in called.data)) console.log(called.data.inquiry_set_id.length);
const status = await client.GET("/notify/status", { params: { query: { ...query, campaign_id: "x" } } });
if (status.data) console.log(status.data.pending + status.data.delivered);
const templates = await client.GET("/notify/templates", { params: { query: { ...query, phone_number: "1" } } });
if (templates.data) console.log(templates.data.map(({ name }) => name));
const created = await client.POST("/admin/chatapp/create/template", {
  params: { query },
  body: ${body("/admin/chatapp/create/template")},
});
if (created.data) console.log(created.data.template.submitted_at);
const session = await client.POST("/auth", {
  params: { query: { grant_type: "password" } },
  body: ${body("/auth")},
});
if (session.data) console.log(session.data.access_token);
// @ts-expect-error A field of the wrong type is found by the compiler.
await client.POST("/notify", { params: { query }, body: { ...${body("/notify")}, campaign_name: 5 } });
`;
}

Deno.test("a typed client generated from GET /openapi.json compiles a call of each main operation", () =>
  withServices(({ app }) =>
    withTempFolder(async (folder) => {
      const document: JsonObject = await readDocument(app);
      const types = await runDevProgram<string>("describe_types.ts", document);
      const exampleOf = (path: string) =>
        document.paths[path].post.requestBody.content["application/json"].example;
      await Deno.writeTextFile(resolve(folder, "api.d.ts"), types);
      await Deno.writeTextFile(resolve(folder, "client.ts"), clientCode(exampleOf));

      const config = resolve(import.meta.dirname!, "../../../dev/deno.json");
      const { success, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["check", "--frozen", "--config", config, resolve(folder, "client.ts")],
        env: { NO_COLOR: "1" },
        stdin: "null",
      }).output();

      assert.ok(success, new TextDecoder().decode(stderr));
    })
  ));

Deno.test("GET /openapi.json has no boolean of one value, which generators for Java and Go cannot write", () =>
  withServices(async ({ app }) => {
    const document: JsonObject = await readDocument(app);

    assert.doesNotMatch(JSON.stringify(document), /"type":"boolean","enum"/);
    assert.deepEqual(document.components.schemas.Success.properties.success, {
      type: "boolean",
      example: true,
    });
  }));
