import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { eventually } from "../../../setup/eventually.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import { ANA, type TestPeople, withPeople } from "../people/with_people.ts";
import { NUMBER_ID, OTHER_TOKEN, TOKEN, useTemplate } from "../with_platform.ts";

const BYTES = new TextEncoder().encode("%PDF-1.4 not really");
const SHA256 = createHash("sha256").update(BYTES).digest();

/** Uploads a file and returns the response. */
async function upload(
  { url }: TestPeople,
  { type = "application/pdf", product = "whatsapp", token = TOKEN } = {},
): Promise<{ status: number; body: JsonObject }> {
  const form = new FormData();
  form.set("messaging_product", product);
  if (type !== "") form.set("file", new File([BYTES], "a.bin", { type }));
  const response = await fetch(`${url}/v25.0/${NUMBER_ID}/media`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: form,
  });
  return { status: response.status, body: await response.json() };
}

/** Downloads from the address of a file. */
function download(address: string, token: string | null = TOKEN): Promise<Response> {
  return fetch(address, token === null ? {} : { headers: { Authorization: `Bearer ${token}` } });
}

Deno.test("a file that a person sent can be downloaded by its account", () =>
  withPeople(async (people) => {
    await people.act(ANA, "messages", {
      type: "document",
      filename: "a.pdf",
      caption: "The form",
      base64: BYTES.toBase64(),
      phone_number_id: NUMBER_ID,
    });
    await eventually(() => assert.equal(people.changes("messages").length, 1));
    const [message] = people.changes("messages")[0]!.messages;
    const { id, ...document } = message.document;
    assert.deepEqual(document, {
      caption: "The form",
      filename: "a.pdf",
      mime_type: "application/pdf",
      sha256: SHA256.toString("base64"),
    });

    const { body } = await people.call("GET", `/v25.0/${id}`);
    const { url, ...view } = body;
    assert.deepEqual(view, {
      messaging_product: "whatsapp",
      mime_type: "application/pdf",
      sha256: SHA256.toString("hex"),
      file_size: BYTES.length,
      id,
    });
    const response = await download(url);
    assert.deepEqual([response.status, response.headers.get("Content-Type")], [200, "application/pdf"]);
    assert.deepEqual(await response.bytes(), BYTES);
  }));

for (const type of ["image", "audio", "video", "document", "sticker"]) {
  Deno.test(`a person sends a sample of type ${type}`, () =>
    withPeople(async (people) => {
      await people.act(ANA, "messages", { type, phone_number_id: NUMBER_ID });

      await eventually(() => assert.equal(people.changes("messages").length, 1));
      const [message] = people.changes("messages")[0]!.messages;
      assert.equal(message.type, type);
      assert.equal(
        (await people.call("GET", `/${message[type].id}`)).body.mime_type,
        message[type].mime_type,
      );
    }));
}

Deno.test("GET /{media_id} and its address refuse others, guesses and what has expired", () =>
  withPeople(async (people) => {
    const { call, control } = people;
    const { id } = (await upload(people)).body;
    const { url } = (await call("GET", `/${id}`)).body;

    const foreign = await call("GET", `/${id}`, { token: OTHER_TOKEN });
    assert.deepEqual([foreign.body.error.code, foreign.body.error.error_subcode], [100, 33]);
    const refused: [string, string | null, number][] = [
      [url, null, 401],
      [url, OTHER_TOKEN, 401],
      [url, "wrong", 401],
      [`${url}0`, TOKEN, 404],
      [url.replace(/ext=\d+/, "ext=9999999999"), TOKEN, 404],
      [url.replace(id, "123"), TOKEN, 404],
    ];
    for (const [address, token, status] of refused) {
      const response = await download(address, token);
      await response.body?.cancel();
      assert.equal(response.status, status, `${address} ${token}`);
    }
    await control("PUT", "settings", { media_url_s: 0 });
    const expired = await download((await call("GET", `/${id}`)).body.url);
    assert.equal(expired.status, 404);
    await expired.body?.cancel();
  }));

Deno.test("an upload goes into messages and templates of its own account, by id", () =>
  withPeople(async (people) => {
    const { id } = (await upload(people)).body;
    await people.act(ANA, "messages", { type: "text", text: "Hi", phone_number_id: NUMBER_ID });

    const document = { id, filename: "a.pdf" };
    const sent = await people.send({ type: "document", template: undefined, document });
    const header = { type: "header", parameters: [{ type: "document", document }] };
    const template = await people.send({ template: useTemplate("paper", [header]) });

    assert.deepEqual([sent.status, template.status], [200, 200], JSON.stringify([sent.body, template.body]));
    const { data } = (await people.control("GET", "messages")).body;
    const expected = { format: "DOCUMENT", link: `/sandbox/media/${id}`, filename: "a.pdf" };
    assert.deepEqual(data.map(({ rendered }: JsonObject) => rendered.header), [expected, expected]);
    assert.deepEqual(await (await download(`${people.url}/sandbox/media/${id}`, null)).bytes(), BYTES);
  }));

Deno.test("an upload of another type than its message fails later with 131053", () =>
  withPeople(async (people) => {
    const { id } = (await upload(people)).body;
    await people.act(ANA, "messages", { type: "text", text: "Hi", phone_number_id: NUMBER_ID });

    await people.send({ type: "image", template: undefined, image: { id } });

    const [status] = await people.statuses(1);
    assert.equal(status!.errors[0].code, 131053);
  }));

const REFUSALS = [
  { case: "no file", upload: { type: "" }, status: 400, code: 100 },
  { case: "another product", upload: { product: "sms" }, status: 400, code: 100 },
  { case: "a type that no message has", upload: { type: "text/html" }, status: 400, code: 100 },
  { case: "another account's number", upload: { token: OTHER_TOKEN }, status: 400, code: 100 },
  { case: "a wrong token", upload: { token: "wrong" }, status: 401, code: 190 },
];

for (const { case: what, upload: options, status, code } of REFUSALS) {
  Deno.test(`POST /{phone_number_id}/media refuses ${what}`, () =>
    withPeople(async (people) => {
      const answer = await upload(people, options);

      assert.deepEqual([answer.status, answer.body.error.code], [status, code]);
    }));
}
