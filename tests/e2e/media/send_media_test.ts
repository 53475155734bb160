import assert from "node:assert/strict";
import { deleteMediaLeftovers } from "../../../supabase/functions/_shared/media/delete_leftovers.ts";
import { eventually } from "../../setup/eventually.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { createTemplate } from "../templates/create_template.ts";
import { type MediaApi, PDF, PNG, withMedia } from "./with_media.ts";

const ANA = "34600111222";

/** Ana writes, so that she can be replied to. Returns her message as the service has it. */
async function receive(
  api: MediaApi,
  message: JsonObject = { type: "text", text: "Hello" },
): Promise<JsonObject> {
  await api.sandbox.write(ANA, { phone_number_id: api.sender.platform_id, ...message });
  return await eventually(async () => {
    const { body } = await api.ask("GET", `/contacts/replies?number=${ANA}`);
    assert.equal(body.replies.length, 1);
    return body.replies[0];
  });
}

const reply = (api: MediaApi, media: JsonObject) =>
  api.ask("POST", "/contacts/replies", { number: ANA, media });

async function platformIds({ sql }: MediaApi): Promise<string[]> {
  const rows = await sql`select platform_media_id from outbound.media_platform_ids`;
  return rows.map(({ platform_media_id }) => platform_media_id);
}

Deno.test("a file goes to the platform with the first reply, and again before the platform deletes it", () =>
  withMedia(async (api) => {
    await receive(api);
    const { body: { media_id } } = await api.upload(PDF, "application/pdf", { name: "menu.pdf" });
    await reply(api, { type: "document", media_id, caption: "Our menu" });
    await reply(api, { type: "document", media_id, filename: "other.pdf" });
    await api.dispatch();
    const [first] = await platformIds(api);

    await api.sql`update outbound.media_platform_ids set expires_at = now() + interval '23 hours'`;
    await api.services.platformMedia.refresh({
      companyId: api.company.id,
      senderId: api.sender.id,
      mediaId: media_id,
    });
    const [second] = await platformIds(api);

    assert.notEqual(first, second);
    const sent = await api.sandbox.messages();
    assert.deepEqual(sent.map(({ rendered }) => [rendered.header.filename, rendered.body]), [
      ["menu.pdf", "Our menu"],
      ["other.pdf", ""],
    ]);
    const shown = await fetch(`${api.sandbox.url}/sandbox/media/${first}`);
    assert.deepEqual(await shown.bytes(), PDF);
  }));

Deno.test("a reply's file has to be one of the company's, and of the kind of the reply", () =>
  withMedia(async (api) => {
    await receive(api);
    const { body: { media_id } } = await api.upload(PDF, "application/pdf");
    const other = await api.addTenant();
    const foreign = await api.http.post("/manage/companies/mine/media", undefined, {
      query: { access_key: other.key.key },
      headers: { "content-type": "image/png" },
      rawBody: PNG,
    });

    const refused: JsonObject[] = [
      { type: "image", media_id },
      { type: "image", media_id: foreign.body.media_id },
      { type: "image", media_id: crypto.randomUUID() },
      { type: "document", media_id, link: "https://example.com/a.pdf" },
    ];

    for (const media of refused) {
      const { status, body } = await reply(api, media);
      assert.deepEqual([status, body.details.field], [400, "media.media_id"], JSON.stringify(media));
    }
  }));

Deno.test("a reply whose file is removed before it leaves fails, and says so", () =>
  withMedia(async (api) => {
    await receive(api);
    const { body: { media_id } } = await api.upload(PDF, "application/pdf");
    await reply(api, { type: "document", media_id });
    await api.ask("DELETE", `/media/${media_id}`);

    await api.dispatch();

    const { body } = await api.ask("GET", `/contacts/replies?number=${ANA}`);
    assert.deepEqual([body.replies[0].status, body.replies[0].error_code], ["failed", "media_removed"]);
    assert.deepEqual(await api.sandbox.messages(), []);
  }));

Deno.test("a template is made with a file of the company, and sent with one", () =>
  withMedia(async (api) => {
    const { body: { media_id } } = await api.upload(PNG, "image/png", { name: "garden.png" });
    const made = await createTemplate(api, {
      components_template: {
        HEADER: { format: "IMAGE", example: { header_handle: [`media:${media_id}`] } },
        BODY: { text: "Look at this" },
      },
    });
    assert.equal(made.status, 200);
    const [template] = (await api.sandbox.templates()).filter(({ name }) => name === "order_on_its_way");
    await api.sandbox.setTemplate(template!.id, "APPROVED");
    const send = (header_image: string) =>
      api.notify({
        name_template: "order_on_its_way",
        language_template: "en_US",
        components_push: { header_image },
        contact: { number: ANA },
      });
    const { body: { inquiry_set_id } } = await eventually(async () => {
      const sent = await send(`media:${media_id}`);
      assert.equal(sent.status, 200);
      return sent;
    });
    await api.dispatch();

    const unknown = await send(`media:${crypto.randomUUID()}`);

    assert.equal((await api.status(inquiry_set_id)).sent, 1);
    const [message] = await api.sandbox.messages();
    assert.equal(message!.rendered.header.format, "IMAGE");
    assert.match(message!.rendered.header.link, /\/sandbox\/media\/\d+$/);
    assert.deepEqual([unknown.status, unknown.body.details.field], [400, "components_push.header_image"]);
  }));

Deno.test("a file that a person sent is stored with the first download, and erased with the person", () =>
  withMedia(async (api) => {
    const { message_id } = await receive(api, { type: "image", caption: "My receipt" });
    const download = () => api.ask("GET", `/contacts/replies/${message_id}/media`);

    const first = await download();
    assert.equal((await api.stored()).length, 1);
    await api.sql`update outbound.senders set token_sealed = null`;
    const second = await download();

    assert.deepEqual([first.status, second.status, second.body], [200, 200, first.body]);
    assert.equal(first.headers.get("content-disposition"), second.headers.get("content-disposition"));
    assert.deepEqual((await api.ask("GET", "/media")).body.media, [], "it is not one of the company's own");
    await api.sql`
      update outbound.api_keys set permissions = permissions || '{erase}' where company_id = ${api.company.id}`;
    await eventually(async () => {
      assert.equal((await api.ask("POST", "/contacts/erase", { number: ANA })).status, 200);
    });
    await deleteMediaLeftovers(api.services);
    assert.deepEqual(await api.stored(), []);
  }));
