import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { marketingRequest } from "../notify/marketing_request.ts";
import { type Api, withApi } from "../with_api.ts";

const ANA = "34600111222";

const query = ({ key }: Api) => ({ access_key: key.key });

async function list(api: Api): Promise<JsonObject[]> {
  const { body } = await api.http.get("/manage/companies/mine/contacts/replies", {
    query: { ...query(api), number: ANA },
  });
  return body.replies;
}

/** Ana writes to the company's number. */
async function write({ sandbox, sender }: Api, message: JsonObject): Promise<void> {
  await sandbox.write(ANA, { phone_number_id: sender.platform_id, ...message });
}

Deno.test("a person replies to a message, and reads the reply to it", () =>
  withApi(async (api) => {
    const { body: sent } = await api.notify({ contact: { number: ANA, name: "Ana" } });
    await api.dispatch();
    await write(api, {
      type: "text",
      text: "Where is it?",
      context: (await api.sandbox.messages())[0]!.id,
    });
    await eventually(async () => assert.equal((await list(api)).length, 1));
    const [question] = await list(api);

    const { status, body } = await api.http.post("/manage/companies/mine/contacts/replies", {
      number: ANA,
      text: "On its way",
      reply_to: question!.message_id,
    }, { query: query(api) });
    await api.dispatch();

    assert.equal(status, 200);
    assert.equal(question!.campaign_id, sent.inquiry_set_id);
    assert.deepEqual(question!.written_by, { kind: "contact", user_id: null, name: null });
    const { rendered, ...replied } = question!.replies_to;
    assert.deepEqual([replied.campaign_id, replied.notification_id], [
      sent.inquiry_set_id,
      question!.notification_id,
    ]);
    assert.match(rendered.body, /Ana/);
    await eventually(async () => {
      const [reply] = await list(api);
      assert.deepEqual([reply!.message_id, reply!.status, reply!.text], [
        body.message_id,
        "read",
        "On its way",
      ]);
    });
  }));

Deno.test("a person stops promotions by word, and gets one confirmation", () =>
  withApi(async (api) => {
    await write(api, { type: "text", text: "¡Baja!" });
    await write(api, { type: "text", text: "baja" });
    await eventually(async () => assert.equal((await list(api)).length, 3));

    await api.dispatch();

    await eventually(async () => {
      const out = (await list(api)).filter(({ direction }) => direction === "out");
      assert.deepEqual(out.map(({ purpose, status }) => [purpose, status]), [[
        "opt_out_confirmation",
        "read",
      ]]);
      assert.match(out[0]!.text, /ALTA/);
    });
    const rows = await api.sql`select channel, category, source from outbound.suppressions
      where address = ${ANA} and lifted_at is null`;
    assert.deepEqual([...rows], [{ channel: "any", category: "marketing", source: "keyword" }]);
  }));

Deno.test("a person whose number the platform writes in another way stops promotions to the number as the company has it", () =>
  withApi(async (api) => {
    const [ours, platforms] = ["525512345678", "5215512345678"];
    const marketing = { ...await marketingRequest(api), contact: { number: ours, name: "Ana" } };
    await api.notify(marketing);
    await api.dispatch();

    await api.sandbox.write(platforms, {
      phone_number_id: api.sender.platform_id,
      type: "text",
      text: "STOP",
    });

    await eventually(async () =>
      assert.equal((await api.notify(marketing)).body.error, "recipient_opted_out")
    );
    const { body } = await api.http.get("/manage/companies/mine/contacts/replies", {
      query: { ...query(api), number: ours },
    });
    assert.deepEqual(
      body.replies.map(({ text }: JsonObject) => text).includes("STOP"),
      true,
      "found by our number",
    );
  }));

Deno.test("a person's choice at the platform, a hidden number, a file and a new number arrive", () =>
  withApi(async (api) => {
    await write(api, { type: "text", text: "Hello" });
    await api.sandbox.act(ANA, "stop");
    await api.sandbox.act(ANA, "hide", { username: "ana" });
    await write(api, { type: "image", caption: "My receipt" });
    await eventually(async () => assert.equal((await list(api)).length, 2));
    const image = (await list(api)).find(({ kind }) => kind === "image");

    const media = await api.http.get(`/manage/companies/mine/contacts/replies/${image!.message_id}/media`, {
      query: query(api),
    });
    await api.sandbox.act(ANA, "move", { to: "34600111333" });

    assert.equal(image!.number, null);
    assert.deepEqual([media.status, media.headers.get("content-type")], [200, "image/png"]);
    await eventually(async () => {
      const rows = await api.sql`select address, source from outbound.suppressions where lifted_at is null`;
      const addresses = rows.map(({ address }) => address);
      assert.ok(
        addresses.includes(ANA) && addresses.includes("34600111333") && addresses.includes(image!.user_id),
      );
    });
  }));

Deno.test("a conversation begins with a template, and shows it once the person replies", () =>
  withApi(async (api) => {
    const { name, language } = api.template;
    const body = {
      contact: { number: ANA, name: "Ana" },
      recipient_id: api.sender.number,
      name_template: name,
      language_template: language,
      notification_type: "utility",
      components_push: { body_text_0: "{{name}}", body_text_1: "A-1001" },
    };
    const begin = () =>
      api.http.post("/manage/companies/mine/conversations", body, {
        query: query(api),
        headers: { "idempotency-key": "once" },
      });
    const begun = await begin();
    assert.deepEqual([begun.status, (await begin()).body], [200, begun.body]);
    await api.dispatch();
    const [message, ...others] = await api.sandbox.messages();
    assert.deepEqual(others, []);

    await write(api, { type: "text", text: "Yes, please", context: message!.id });

    await eventually(async () => {
      const { body: { replies: [reply] } } = await api.http.get("/manage/companies/mine/contacts/replies", {
        query: query(api),
      });
      assert.equal(reply.replies_to.campaign_id, begun.body.inquiry_set_id);
    });
    const rows = await api.sql`select subject from outbound.audit_log where action = 'conversation.begun'`;
    assert.deepEqual([...rows], [{ subject: begun.body.inquiry_set_id }]);
  }));
