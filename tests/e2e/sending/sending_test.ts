import assert from "node:assert/strict";
import type postgres from "postgres";
import { eventually } from "../../setup/eventually.ts";
import { insertSender, insertTemplate } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { assertRefused } from "../assert_refused.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { type Api, withApi } from "../with_api.ts";

/** Sends one notification and returns the message that arrived. */
async function sendOne(api: Api, changes: JsonObject): Promise<JsonObject> {
  const accepted = await api.notify(changes);
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
  await api.dispatch();
  const messages = await api.sandbox.messages();
  const status = await api.status(accepted.body.inquiry_set_id);
  assert.equal(status.failed, 0, JSON.stringify(status));
  return messages.at(-1)!;
}

/** A template that both sides know. */
async function addTemplate(api: Api, name: string, components: JsonObject[]): Promise<void> {
  const { sql, sender, sandbox } = api;
  await insertTemplate(sql, sender, { name, components: components as postgres.JSONValue[] });
  const known = [{ name, language: "en", category: "UTILITY", status: "APPROVED", components }];
  await sandbox.addAccount(sender, known);
}

const media = (format: string) => ({ type: "HEADER", format, example: { header_handle: ["4::x"] } });
const body = (text: string, ...example: string[]) => ({
  type: "BODY",
  text,
  example: { body_text: [example] },
});

Deno.test("media headers arrive with their link", () =>
  withApi(async (api) => {
    for (const [kind, extension] of [["image", "png"], ["video", "mp4"], ["document", "pdf"]]) {
      await addTemplate(api, `with_${kind}`, [media(kind!.toUpperCase()), body("For {{1}}", "Ana")]);
      const link = `https://files.example.com/a%20b.${extension}?v=1`;
      const components_push = { [`header_${kind}`]: link, body_text_0: "{{name}}" };
      const { rendered } = await sendOne(api, { name_template: `with_${kind}`, components_push });

      assert.deepEqual([rendered.header.link, rendered.body], [link, "For Asha"], String(kind));
      assert.equal(rendered.header.filename, kind === "document" ? "a b.pdf" : undefined);
    }
  }));

Deno.test("a media link may be a reference too", () =>
  withApi(async (api) => {
    await addTemplate(api, "photo", [media("IMAGE"), { type: "BODY", text: "Look" }]);
    const contact = { number: "34600111222", picture: "https://files.example.com/me.jpg" };
    const push = (picture: string) => ({
      ...{
        name_template: "photo",
        components_push: { header_image: "{{picture}}" },
        contact: { ...contact, picture },
      },
    });

    const { rendered } = await sendOne(api, push(contact.picture));
    assert.equal(rendered.header.link, contact.picture);
    const refused = await api.notify(push("http://files.example.com/me.jpg"));
    assert.deepEqual([refused.status, refused.body.details.field], [400, "components_push.header_image"]);
  }));

Deno.test("URL buttons take their values by their position among the buttons with a variable", () =>
  withApi(async (api) => {
    const url = (address: string) => ({ type: "URL", text: "Go", url: address, example: [address] });
    await addTemplate(api, "links", [body("Go {{1}}", "x"), {
      type: "BUTTONS",
      buttons: [
        { type: "QUICK_REPLY", text: "No" },
        url("https://a.example/{{1}}"),
        url("https://static.example/"),
        url("https://b.example/{{1}}"),
      ],
    }]);
    const components_push = { body_text_0: "there", buttons_url_0: "first?x=1", buttons_url_1: "{{number}}" };
    const { rendered } = await sendOne(api, { name_template: "links", components_push });

    assert.deepEqual(rendered.buttons.map((button: JsonObject) => button.url), [
      ...[
        undefined,
        "https://a.example/first?x=1",
        "https://static.example/",
        "https://b.example/34600111222",
      ],
    ]);
  }));

Deno.test("a template without anything dynamic is sent without components", () =>
  withApi(async (api) => {
    await addTemplate(api, "hours", [{ type: "BODY", text: "Open at nine" }, {
      type: "FOOTER",
      text: "Shop",
    }]);
    for (const components_push of [undefined, null, {}]) {
      const { rendered, parameters } = await sendOne(api, { name_template: "hours", components_push });

      assert.deepEqual([rendered.body, rendered.footer, parameters], ["Open at nine", "Shop", []]);
    }
  }));

Deno.test("values arrive to the letter: emoji, quotes, braces of a referenced field, scripts", () =>
  withApi(async (api) => {
    const texts = [
      "Zoë 👩‍👩‍👧 ½",
      `"quotes" 'and' \\`,
      "<script>alert(1)</script>",
      "مرحبا",
      "100 % & more",
      "1",
    ];
    for (const text of texts) {
      const contact = { number: "34600111222", name: text, note: `{{${text}}} {1}` };
      const components_push = { body_text_0: "{{name}}", body_text_1: "{{note}}" };
      const { rendered } = await sendOne(api, { contact, components_push });

      assert.equal(rendered.body, `Hello ${text}, your order {{${text}}} {1} is ready.`);
    }
  }));

Deno.test("a reference reads the contact first, then the root; name, number and email only the contact", () =>
  withApi(async (api) => {
    const contact = { number: "34600111222", city: "Lugo" };
    const at = async (one: string, two: string) => {
      const components_push = { body_text_0: one, body_text_1: two };
      const { rendered } = await sendOne(api, {
        contact,
        city: "Root",
        shop: "North",
        name: "Root",
        components_push,
      });
      return rendered.body;
    };
    assert.equal(await at("{{city}}", "{{shop}}"), "Hello Lugo, your order North is ready.");
    assert.equal(
      await at("{{ number }}", "{{campaign_name}}"),
      "Hello 34600111222, your order Orders is ready.",
    );
    const components_push = { body_text_0: "{{name}}", body_text_1: "x" };
    assert.equal((await api.notify({ contact, name: "Root", components_push })).status, 400);
  }));

Deno.test("a reference to a number or true/false of the root is sent as its text", () =>
  withApi(async (api) => {
    const components_push = { body_text_0: "{{total}}", body_text_1: "{{paid}}" };

    const { rendered } = await sendOne(api, { total: 12.5, paid: false, components_push });

    assert.equal(rendered.body, "Hello 12.5, your order false is ready.");
  }));

Deno.test("a null in a contact's optional field, or in components_push, counts as left out", () =>
  withApi(async (api) => {
    const components_push = { body_text_0: "{{city}}", body_text_1: "x" };
    const contact = {
      ...{ number: "34600111222", name: null, first_name: null, last_name: null, email: null, city: null },
    };
    const { rendered } = await sendOne(api, { contact, city: "Root", components_push });
    assert.equal(rendered.body, "Hello Root, your order x is ready.");

    const bulk = { contact: undefined, contacts: [contact], city: "Root", components_push };
    const { body } = await api.notify(bulk);
    assert.deepEqual([body.processed, body.errors], [1, []]);

    const unused = { ...components_push, header_image: null };
    assert.equal((await api.notify({ contact, city: "Root", components_push: unused })).status, 200);
    const missing = await api.notify({ components_push: { body_text_0: "x", body_text_1: null } });
    assertRefused(missing, { status: 422, error: "variable_mismatch" });
    assert.deepEqual(missing.body.details.missing, ["body_text_1"]);

    const refused = await api.notify({ contact, components_push });
    assertRefused(refused, { status: 400, error: "validation_failed" });
    assert.equal(refused.body.details.field, "components_push.body_text_0");
  }));

Deno.test("the flat form sends the same message as the nested one", () =>
  withApi(async ({ http, key, sandbox, dispatch, ...api }) => {
    const { contact: _, components_push: __, ...rest } = notifyBody(api);
    const flat = {
      ...rest,
      "contact.number": "34600111222",
      "contact.name": "Asha",
      "components_push.body_text_0": "{{name}}",
      "components_push.body_text_1": "A-17",
    };
    const response = await http.post("/notify", flat, { query: { access_key: key.key, unflatten: "true" } });
    await dispatch();

    assert.equal(response.status, 200, JSON.stringify(response.body));
    const [message] = await sandbox.messages();
    assert.deepEqual([message!.to, message!.rendered.body], [
      ...["+34600111222", "Hello Asha, your order A-17 is ready."],
    ]);
  }));

Deno.test("a sender goes by its id, its number or the platform's id", () =>
  withApi(async (api) => {
    const second = await insertSender(api.sql, api.company.id, {
      waba_id: api.sender.waba_id,
      token: api.sender.token,
    });
    for (const sender of [api.sender, second]) {
      const { id, number, platform_id } = sender;
      await api.sandbox.addAccount(sender); // the account has one number at a time
      for (const recipient_id of [id, number, platform_id]) {
        const message = await sendOne(api, { recipient_id });
        assert.equal(message.phone_number_id, platform_id, recipient_id);
      }
    }
  }));

Deno.test("a bulk request takes a free label and goes out through the oldest sender, or through the one it names", () =>
  withApi(async (api) => {
    const second = await insertSender(api.sql, api.company.id, {
      waba_id: api.sender.waba_id,
      token: api.sender.token,
    });
    await api
      .sql`update outbound.senders set created_at = now() - interval '1 day' where id = ${api.sender.id}`;
    const bulk = { contact: undefined, contacts: [{ number: "34600111222", name: "Asha" }] };

    assert.equal(
      (await sendOne(api, { ...bulk, recipient_id: "Autumn leads" })).phone_number_id,
      api.sender.platform_id,
    );
    await api.sandbox.addAccount(second);
    const named = await sendOne(api, { ...bulk, recipient_id: second.number });
    assert.equal(named.phone_number_id, second.platform_id);
  }));

Deno.test("a bulk request sends to every good contact and reports the others", () =>
  withApi(async (api) => {
    const contacts = [
      { number: "34600111011", name: "One" },
      { number: "+34600111012", name: "Plus" },
      { number: "34600111013" },
      { name: "Numberless" },
      { number: "34600111015", name: "Five" },
      { number: "34600111015", name: "Five again" },
    ];
    const bulk = { contact: undefined, contacts, recipient_id: "leads" };
    const { status, body } = await api.notify(bulk, { query: { details: "true" } });
    await api.dispatch();

    const { inquiry_set_id, errors, notification_ids, ...rest } = body;
    assert.deepEqual([status, rest], [200, {
      ...{ success: true, message: "Processing completed", total: 6, processed: 3, failed: 3 },
      warnings: [{
        index: 5,
        code: "duplicate_recipient",
        message: "The same recipient as contact 4, who gets both",
        field: "contact.number",
      }],
    }]);
    assert.deepEqual(errors.map(({ index, field, code }: JsonObject) => [index, field, code]), [
      [1, "contact.number", "validation_failed"],
      [2, "components_push.body_text_0", "validation_failed"],
      [3, "contact.number", "validation_failed"],
    ]);
    const stored = await api.sql`
      select id, number from outbound.notifications where campaign_id = ${inquiry_set_id} order by id`;
    assert.deepEqual(stored.map(({ number }) => number), ["34600111011", "34600111015", "34600111015"]);
    const [first, fifth, sixth] = stored.map(({ id }) => id);
    assert.deepEqual(notification_ids, [first, null, null, null, fifth, sixth]);
    assert.deepEqual(errors.map(({ contact }: JsonObject) => contact), [
      contacts[1],
      contacts[2],
      contacts[3],
    ]);
    assert.match(errors[0].reason, /contact\.number.*digits/);
    assert.match(errors[1].reason, /components_push\.body_text_0/);
    assert.match(errors[2].reason, /contact\.number/);
    const texts = (await api.sandbox.messages()).map(({ to, rendered }) =>
      `${to} ${rendered.body.slice(6, 16)}`
    );
    assert.deepEqual(texts.sort(), [
      "+34600111011 One, your ",
      "+34600111015 Five again",
      "+34600111015 Five, your",
    ]);
    assert.equal((await api.status(inquiry_set_id)).sent, 3);
  }));

Deno.test("a bulk response has the contract's fields, and details where they are asked for, also when repeated", () =>
  withApi(async (api) => {
    const contacts = [{ number: "34600111222", name: "Asha" }, { number: "no" }];
    const headers = { "Idempotency-Key": "once" };
    const send = (query: Record<string, string>) =>
      api.notify({ contact: undefined, contacts }, { headers, query });

    const plain = await send({});
    const detailed = await send({ details: "true" });
    const refused = await send({ details: "yes" });

    const { errors, ...rest } = plain.body;
    assert.deepEqual(
      [plain.status, Object.keys(rest)],
      [200, ["success", "message", "total", "processed", "failed", "inquiry_set_id"]],
    );
    const [{ reason, ...failure }] = errors;
    assert.deepEqual([failure, typeof reason], [{ contact: contacts[1] }, "string"]);
    const expected = { index: 1, field: "contact.number", code: "validation_failed" };
    assert.equal(detailed.headers.get("idempotent-replayed"), "true");
    assert.deepEqual(detailed.body, {
      ...plain.body,
      errors: [{ contact: contacts[1], reason, ...expected }],
      notification_ids: [detailed.body.notification_ids[0], null],
    });
    assert.deepEqual([refused.status, refused.body.details.field], [400, "details"]);
  }));

Deno.test("a bulk request of 100 contacts is one campaign of 100 messages", () =>
  withApi(async (api) => {
    const contacts = Array.from(
      { length: 100 },
      (_, index) => ({ number: String(34600111100 + index), name: "A" }),
    );
    const { body } = await api.notify({ contact: undefined, contacts });
    await api.dispatch();

    assert.deepEqual([body.total, body.processed, body.failed, body.errors], [100, 100, 0, []]);
    const numbers = (await api.sandbox.messages()).map(({ to }) => to);
    assert.equal(new Set(numbers).size, 100);
    await eventually(async () => {
      const { total, sent, read, status } = await api.status(body.inquiry_set_id);
      assert.deepEqual({ total, sent, read, status }, {
        total: 100,
        sent: 100,
        read: 100,
        status: "completed",
      });
    });
  }));

Deno.test("a message that the platform refuses, or fails later, is counted as failed", () =>
  withApi(async (api) => {
    await api.sandbox.addFault({ match: { to: "34600111011" }, fault: { code: 131026 } });
    await api.sandbox.addFault({ match: { to: "34600111012" }, fault: { webhook_error: 131049 } });
    const contacts = ["34600111011", "34600111012", "34600111013"].map((number) => ({ number, name: "A" }));
    const { body } = await api.notify({ contact: undefined, contacts });
    await api.dispatch();

    await eventually(async () => {
      const { total, sent, failed, read, status } = await api.status(body.inquiry_set_id);
      assert.deepEqual({ total, sent, failed, read, status }, {
        ...{ total: 3, sent: 1, failed: 2, read: 1, status: "completed" },
      });
    });
  }));

Deno.test("name_event, a null in an optional field and fields of the client's own are accepted", () =>
  withApi(async (api) => {
    const optional = { name_event: null, datetime_sending: null, timezone: null };
    assert.equal((await api.notify({ ...optional, contacts: null, anything: { of: ["mine"] } })).status, 200);
    const { body } = await api.notify({ name_event: "welcome_flow" });
    const [row] = await api.sql`select name_event from outbound.campaigns where id = ${body.inquiry_set_id}`;

    assert.equal(row!.name_event, "welcome_flow");
  }));
