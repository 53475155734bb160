import type { JsonObject, TestRequestOptions } from "../../setup/http/http.ts";
import type { TestStack } from "../../setup/stack/stack.ts";

/** A body that `POST /admin/chatapp/create/template` accepts, with fields replaced, or taken out where undefined. */
export function templateBody(
  { company, sender }: Pick<TestStack, "company" | "sender">,
  changes: JsonObject = {},
): JsonObject {
  return {
    company_id: company.id,
    waba_id: sender.waba_id,
    name_template: "order_on_its_way",
    language_template: "en_US",
    category_template: "UTILITY",
    components_template: {
      HEADER: { format: "TEXT", text: "News of your order" },
      BODY: { text: "Hello {1}, your order {2} is on its way." },
      FOOTER: { text: "Example Traders" },
      BUTTONS: [
        { type: "URL", text: "Follow it", url: "https://example.com/orders/{1}" },
        { type: "QUICK_REPLY", text: "Stop updates" },
      ],
    },
    ...changes,
  };
}

/** Submits a template with the company's key. */
export function createTemplate(
  api: Pick<TestStack, "http" | "key" | "company" | "sender">,
  changes: JsonObject = {},
  { query, ...options }: TestRequestOptions = {},
) {
  return api.http.post("/admin/chatapp/create/template", templateBody(api, changes), {
    ...options,
    query: { access_key: api.key.key, ...query },
  });
}

/** The company's templates as `GET /notify/templates` lists them, without those it began with. */
export async function listMade(
  { http, key, sender, template }: Pick<TestStack, "http" | "key" | "sender" | "template">,
): Promise<JsonObject[]> {
  const query = { access_key: key.key, phone_number: sender.number };
  const { body } = await http.get<JsonObject[]>("/notify/templates", { query });
  return body.filter(({ id }) => id !== template.id);
}
