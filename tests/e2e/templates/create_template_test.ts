import assert from "node:assert/strict";
import fc from "fast-check";
import { eventually } from "../../setup/eventually.ts";
import { insertCompany, insertKey, insertMember, insertSender } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { validComponents } from "../../_shared/templates/create/valid_components.ts";
import { assertRefused, assertRefusedShortly } from "../assert_refused.ts";
import { createTemplate, listMade, templateBody } from "./create_template.ts";
import { type Api, withApi } from "../with_api.ts";
import { withEnvironment } from "../with_environment.ts";

const PATH = "/admin/chatapp/create/template";

/** All that a refused request must leave as it was. */
async function countMade({ sql }: Api): Promise<JsonObject> {
  const [row] = await sql`
    select (select count(*)::int from outbound.templates) as templates,
      (select count(*)::int from outbound.template_submissions) as submissions,
      (select count(*)::int from outbound.idempotency_keys) as responses`;
  return { ...row };
}

Deno.test("POST /admin/chatapp/create/template submits a template and stores it as pending", () =>
  withApi(async (api) => {
    const { status, body } = await createTemplate(api);

    assert.equal(status, 200, JSON.stringify(body));
    const { id, submitted_at } = body.template;
    assert.deepEqual(body, {
      success: true,
      message: "Template submitted for review",
      template: { id, name: "order_on_its_way", status: "pending", submitted_at },
    });
    assert.match(submitted_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual(await listMade(api), [{
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
    }]);
    assert.deepEqual(await countMade(api), { templates: 2, submissions: 0, responses: 0 });
  }));

Deno.test("a template that was submitted is sent once the platform has approved it, and not before", () =>
  withApi(async (api) => {
    const { body: { template } } = await createTemplate(api);
    const send = () =>
      api.notify({
        name_template: "order_on_its_way",
        language_template: "en_US",
        components_push: { body_text_0: "{{name}}", body_text_1: "A-17", buttons_url_0: "a17" },
      });
    assertRefused(await send(), {
      status: 422,
      error: "template_not_approved",
      details: {
        template_name: "order_on_its_way",
        current_status: "pending",
        required_status: "approved",
      },
    });
    const [row] = await api.sql`
      select platform_template_id as id from outbound.templates where id = ${template.id}`;

    await fetch(`${api.sandbox.url}/sandbox/templates/${row!.id}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ status: "APPROVED" }),
    }).then((response) => response.body?.cancel());
    await eventually(async () => assert.equal((await listMade(api))[0]!.status, "APPROVED"));

    assert.equal((await send()).status, 200);
    await api.dispatch();
    const [message] = await api.sandbox.messages();
    assert.match(JSON.stringify(message), /Hello Asha, your order A-17 is on its way\./);
    assert.match(JSON.stringify(message), /https:\/\/example\.com\/orders\/a17/);
  }));

Deno.test("POST /admin/chatapp/create/template takes a user's token instead of a key", () =>
  withEnvironment(async ({ http, sql, sandbox, createUser, logIn }) => {
    const company = await insertCompany(sql);
    const sender = await insertSender(sql, company.id);
    await sandbox.addAccount(sender);
    const [member, stranger] = [await createUser(), await createUser()];
    await insertMember(sql, company.id, member.id);
    const [token, strange] = [await logIn(member), await logIn(stranger)];
    const submit = (bearer: string | undefined, changes: JsonObject = {}) =>
      http.post(PATH, templateBody({ company, sender }, changes), {
        headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
      });

    assertRefused(await submit(undefined), { status: 401, error: "unauthorized" });
    assertRefused(await submit(`${token}x`), { status: 401, error: "unauthorized" });
    assertRefused(await submit(strange), { status: 403, error: "forbidden" });
    assertRefused(await submit(token, { company_id: crypto.randomUUID() }), {
      status: 403,
      error: "forbidden",
    });
    assertRefused(await submit(token, { company_id: "mine" }), { status: 403, error: "forbidden" });
    assertRefused(await submit(token, { waba_id: "1" }), { status: 403, error: "forbidden" });
    assert.equal((await submit(token)).status, 200);

    await sql`update outbound.companies set api_access = false where id = ${company.id}`;
    const message = "API access is switched off for this company";
    assertRefusedShortly(await submit(token, { name_template: "other" }), 403, message);
  }));

Deno.test("POST /admin/chatapp/create/template lets a key into its own company and accounts only", () =>
  withApi(async (api) => {
    const other = await api.addTenant();
    const before = await countMade(api);
    const forbidden = { status: 403, error: "forbidden" };

    assertRefused(await createTemplate(api, { company_id: other.company.id }), forbidden);
    assertRefused(await createTemplate(api, { waba_id: other.sender.waba_id }), forbidden);
    const theirs = { company_id: other.company.id, waba_id: other.sender.waba_id };
    assertRefused(await createTemplate(api, theirs), forbidden);
    assertRefused(await createTemplate(api, { waba_id: "12345" }), forbidden);
    assertRefused(await createTemplate(api, {}, { query: { access_key: "no_such_key" } }), {
      status: 401,
      error: "unauthorized",
    });

    await api.sql`update outbound.companies set api_access = false where id = ${api.company.id}`;
    const message = "API access is switched off for this company";
    assertRefusedShortly(await createTemplate(api), 403, message);
    assert.deepEqual(await countMade(api), before);
  }));

Deno.test("POST /admin/chatapp/create/template needs no permission of the key, and counts against its rate", () =>
  withApi(async (api) => {
    await api.sql`update outbound.api_keys set permissions = '{}', rate_limit = 1`;

    assert.equal((await createTemplate(api)).status, 200);
    assertRefused(await createTemplate(api, { name_template: "another" }), {
      status: 429,
      error: "rate_limit_exceeded",
    });
    assert.equal((await countMade(api)).templates, 2);
  }));

Deno.test("POST /admin/chatapp/create/template refuses what breaks a rule before the platform is asked", () =>
  withApi(async (api) => {
    const before = await countMade(api);
    await api.sandbox.addFault({ fault: { drop_before: true } });
    const components = (parts: JsonObject) => ({
      components_template: { BODY: { text: "It is ready" }, ...parts },
    });
    const refusals: [changes: JsonObject, details: JsonObject][] = [
      [{ name_template: undefined }, { field: "name_template", reason: "required" }],
      [{ name_template: "Order" }, {
        field: "name_template",
        provided: "Order",
        expected_format: "lowercase letters, digits and underscores",
      }],
      [{ components_template: "text" }, {
        field: "components_template",
        provided: "text",
        expected_format: "an object",
      }],
      [components({ BODY: { text: "Hello {1}" } }), {
        field: "components_template.BODY.text",
        provided: "Hello {1}",
        expected_format: "text before the first variable and after the last one",
      }],
      [
        components({
          BUTTONS: [{ type: "QUICK_REPLY", text: "No" }, { type: "URL", text: "Go", url: "ftp://x" }],
        }),
        {
          field: "components_template.BUTTONS[1].url",
          provided: "ftp://x",
          expected_format: "a URL beginning with https:// or http://, with a host",
        },
      ],
    ];
    for (const [changes, details] of refusals) {
      const response = await createTemplate(api, changes);
      assertRefused(response, { status: 400, error: "validation_failed", details });
    }
    for (const rawBody of ["", "[]", "{", '"x"', "null"]) {
      const response = await api.http.post(PATH, undefined, {
        rawBody,
        headers: { "content-type": "application/json" },
        query: { access_key: api.key.key },
      });
      assertRefused(response, { status: 400, error: "validation_failed" }, rawBody);
    }
    assert.deepEqual(await countMade(api), before);
  }));

Deno.test("POST /admin/chatapp/create/template refuses a name that the account has in this language", () =>
  withApi(async (api) => {
    const { body: { template } } = await createTemplate(api);
    const again = await createTemplate(api);

    assertRefused(again, {
      status: 400,
      error: "validation_failed",
      message: "There is a template 'order_on_its_way' in language 'en_US' already",
      details: {
        field: "name_template",
        reason: "exists in this language already",
        template_id: template.id,
        current_status: "pending",
      },
    });
    const spanish = { BODY: { text: "Hola {1}, tu pedido está de camino." } };
    const other = await createTemplate(api, { language_template: "es", components_template: spanish });
    assert.equal(other.status, 200, JSON.stringify(other.body));
  }));

Deno.test("POST /admin/chatapp/create/template hands on the platform's refusal in its words", () =>
  withApi(async (api) => {
    await createTemplate(api);
    const sameText = await createTemplate(api, { name_template: "same_text" });

    assertRefused(sameText, {
      status: 400,
      error: "validation_failed",
      message: "The messaging platform refused the template. Message template already exists: " +
        "another template has the same body and footer",
      details: {
        service: "whatsapp",
        reason: "Message template already exists: another template has the same body and footer",
        platform_code: 100,
        platform_subcode: 2388024,
      },
    });
    assert.deepEqual(await countMade(api), { templates: 2, submissions: 0, responses: 0 });
  }));

Deno.test("POST /admin/chatapp/create/template makes authentication templates of the platform's own text", () =>
  withApi(async (api) => {
    const { status, body } = await createTemplate(api, {
      category_template: "AUTHENTICATION",
      components_template: {
        BODY: { add_security_recommendation: true },
        FOOTER: { code_expiration_minutes: 5 },
        BUTTONS: [{ type: "OTP", otp_type: "COPY_CODE" }],
      },
    });

    assert.equal(status, 200, JSON.stringify(body));
    await eventually(async () => {
      const query = { access_key: api.key.key, template: body.template.id };
      const listed = await api.http.get("/notify/template/components", { query });
      assert.deepEqual(listed.body.components, ["body_text_0", "buttons_url_0"]);
    });
  }));

Deno.test("POST /notify demands the components that the list names, for templates made here", () =>
  withApi(async (api) => {
    const samples = fc.sample(validComponents, { numRuns: 12, seed: 7 });
    let made = 0;
    for (const [index, { components, variables }] of samples.entries()) {
      // The simulated platform wants two words around each variable, which the contract does not mention.
      const body = { text: `${"word ".repeat(2 * variables)}${(components.BODY as JsonObject).text}` };
      const header = components.HEADER as JsonObject | undefined;
      const plain = header?.format === "TEXT" ? { ...header, text: "A plain header" } : header;
      const name = `sample_${index}`;
      const response = await createTemplate(api, {
        name_template: name,
        components_template: { ...components, BODY: body, ...(plain && { HEADER: plain }) },
      });
      assert.ok([200, 400].includes(response.status), JSON.stringify(response.body));
      if (response.status === 400) {
        assert.equal(response.body.details.service, "whatsapp", JSON.stringify(response.body));
        continue;
      }
      made++;
      await api.sql`
        update outbound.templates set status = 'approved', updated_at = now()
        where id = ${response.body.template.id}`;
      const query = { access_key: api.key.key, template: response.body.template.id };
      const names: string[] = (await api.http.get("/notify/template/components", { query })).body.components;
      const values = names.map((each) => [each, each.startsWith("header_") ? "https://a.example/x" : "x"]);
      const notify = (pushed: string[][]) =>
        api.notify({
          name_template: name,
          language_template: "en_US",
          components_push: Object.fromEntries(pushed),
        });

      const sent = await notify(values);
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      for (const index of names.keys()) {
        const { status } = await notify(values.filter((_, other) => other !== index));
        assert.equal(status, 422, names[index]!);
      }
    }
    assert.ok(made >= 6, `${made} of 12 made`);
  }));

Deno.test("an inactive key of another company is refused before the faults of its request are reported", () =>
  withApi(async (api) => {
    const { key } = await insertKey(api.sql, (await insertCompany(api.sql)).id, { is_active: false });
    const response = await createTemplate(api, { name_template: 1 }, { query: { access_key: key } });

    assertRefused(response, { status: 401, error: "unauthorized" });
  }));
