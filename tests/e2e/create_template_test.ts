import assert from "node:assert/strict";
import type { JsonObject, TestRequestOptions } from "../setup/http.ts";
import { assertRefused, assertRefusedShortly } from "./assert_refused.ts";
import { templateBody } from "./template_body.ts";
import { type Api, type Tenant, withApi } from "./with_api.ts";

const PATH = "/admin/chatapp/create/template";

/** Submits a template with the company's key. */
export function create(api: Api, changes: JsonObject = {}, options: TestRequestOptions = {}) {
  return api.http.post(PATH, templateBody(api, changes), {
    ...options,
    query: { access_key: api.key.key, ...options.query },
  });
}

async function listed({ http, key, sender }: Api): Promise<JsonObject[]> {
  const query = { access_key: key.key, phone_number: sender.number };
  return (await http.get<JsonObject[]>("/notify/templates", { query })).body;
}

Deno.test("POST /admin/chatapp/create/template submits a template and stores it as pending", () =>
  withApi(async (api) => {
    const { status, body } = await create(api);

    assert.equal(status, 200, JSON.stringify(body));
    const { id, submitted_at } = body.template;
    assert.deepEqual(body, {
      success: true,
      message: "Template submitted for review",
      template: { id, name: "order_on_its_way", status: "pending", submitted_at },
    });
    assert.match(submitted_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const made = (await listed(api)).find((each) => each.id === id)!;
    assert.deepEqual(made, {
      id,
      name: "order_on_its_way",
      status: "PENDING",
      category: "UTILITY",
      language: "en_US",
      parameter_format: "POSITIONAL",
      components: [
        { type: "HEADER", format: "TEXT", text: "News of your order" },
        {
          type: "BODY",
          text: "Hello {{1}}, your order {{2}} is on its way.",
          example: { body_text: [["Ana", "A-1001"]] },
        },
        { type: "FOOTER", text: "Example Traders" },
        {
          type: "BUTTONS",
          buttons: [
            {
              type: "URL",
              text: "Follow it",
              url: "https://example.com/orders/{{1}}",
              example: ["https://example.com/orders/a-1001"],
            },
            { type: "QUICK_REPLY", text: "Stop updates" },
          ],
        },
      ],
    });
  }));
