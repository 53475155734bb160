import assert from "node:assert/strict";
import { withApi } from "../with_api.ts";

Deno.test("a misspelt template name is refused with the one that was probably meant", () =>
  withApi(async (api) => {
    await api.addTenant();
    const { name } = api.template;
    const query = { access_key: api.key.key };
    for (const misspelt of [`${name}s`, name.slice(1), name.replace("_", "")]) {
      const { body } = await api.notify({ name_template: misspelt });
      assert.deepEqual([body.error, body.details.did_you_mean], ["template_not_found", name]);
      assert.match(body.message, new RegExp(`did you mean '${name}'\\?$`));
      const components = await api.http.get("/notify/template/components", {
        query: { ...query, template: misspelt },
      });
      assert.equal(components.body.details.did_you_mean, name);
    }
    for (const other of ["something_else_entirely", "x", "a".repeat(512)]) {
      const { body } = await api.notify({ name_template: other });
      assert.deepEqual([body.error, "did_you_mean" in body.details], ["template_not_found", false]);
    }
    const { body } = await api.notify({ language_template: "xx" });
    assert.deepEqual([body.details.available_languages, "did_you_mean" in body.details], [[
      api.template.language,
    ], false]);
  }));
