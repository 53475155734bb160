import assert from "node:assert/strict";
import { OTHER_TOKEN, TOKEN, WABA_ID, withPlatform } from "./with_platform.ts";

const query = (changes: Record<string, string> = {}) =>
  `/v25.0/app/uploads?${new URLSearchParams({
    file_name: "a.png",
    file_type: "image/png",
    file_length: "5",
    ...changes,
  })}`;

async function put(url: string, id: string, headers: Record<string, string>, bytes = "hello") {
  const response = await fetch(`${url}/v25.0/${id}`, { method: "POST", headers, body: bytes });
  return { status: response.status, body: await response.json() };
}

const oauth = { authorization: `OAuth ${TOKEN}`, file_offset: "0" };

Deno.test("POST /app/uploads and the session it opens return a handle that a template accepts", () =>
  withPlatform(async ({ url, call }) => {
    const { body: { id } } = await call("POST", query());
    assert.match(id, /^upload:[\w+/]+\?sig=\w+$/);
    const { status, body } = await put(url, id, oauth);
    assert.deepEqual([status, Object.keys(body)], [200, ["h"]]);

    const template = (format: string) => ({
      name: `with_${format.toLowerCase()}`,
      language: "en",
      category: "MARKETING",
      components: [
        { type: "HEADER", format, example: { header_handle: [body.h] } },
        { type: "BODY", text: `Have a look at this ${format}` },
      ],
    });
    const path = `/v25.0/${WABA_ID}/message_templates`;
    assert.equal((await call("POST", path, { body: template("IMAGE") })).status, 200);
    assert.equal((await call("POST", path, { body: template("VIDEO") })).body.error.error_subcode, 2388047);
    const { status: again } = await put(url, id, oauth);
    assert.equal(again, 400, "a session is used once");
  }));

Deno.test("POST /app/uploads refuses missing and wrong parameters", () =>
  withPlatform(async ({ url, call }) => {
    for (
      const changes of [
        { file_name: "" },
        { file_type: "image/gif" },
        { file_length: "0" },
        { file_length: "x" },
        { file_length: "104857601" },
      ]
    ) {
      assert.equal((await call("POST", query(changes))).body.error.code, 100, JSON.stringify(changes));
    }
    assert.equal((await call("POST", query(), { token: null })).body.error.code, 200);
    assert.equal((await call("POST", query(), { token: "nobody" })).body.error.code, 190);
    const { body: { id } } = await call("POST", query());
    const refusals: [headers: Record<string, string>, bytes: string, code: number, of?: string][] = [
      [{ ...oauth, authorization: `Bearer ${TOKEN}` }, "hello", 200],
      [{ ...oauth, authorization: `OAuth ${OTHER_TOKEN}` }, "hello", 100],
      [{ authorization: oauth.authorization }, "hello", 100],
      [{ ...oauth, file_offset: "3" }, "hello", 100],
      [oauth, "hell", 100],
      [oauth, "hello", 104, id.replace(/sig=.*/, "sig=x")],
      [oauth, "hello", 100, "upload:unknown?sig=x"],
    ];
    for (const [headers, bytes, code, of = id] of refusals) {
      const { body } = await put(url, of, headers, bytes);
      assert.equal(body.error.code, code, JSON.stringify([headers, of]));
    }
    assert.equal((await put(url, id, oauth)).status, 200);
  }));

Deno.test("POST /message_templates writes the text of authentication templates itself", () =>
  withPlatform(async ({ call }) => {
    const path = `/v25.0/${WABA_ID}/message_templates`;
    const otp = { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE" }] };
    const body = (components: unknown[], category = "AUTHENTICATION") => ({
      body: { name: "login", language: "en", category, components },
    });

    for (
      const refused of [
        body([{ type: "BODY", text: "Your code is {{1}}." }, otp]),
        body([{ type: "BODY" }]),
        body([{ type: "BODY" }, otp, { type: "HEADER", format: "TEXT", text: "Hi" }]),
        body([{ type: "BODY", text: "Hello" }, otp], "UTILITY"),
        body([{ type: "BODY", text: "Hello", add_security_recommendation: true }], "UTILITY"),
      ]
    ) {
      assert.equal((await call("POST", path, refused)).body.error?.code, 100, JSON.stringify(refused));
    }
    assert.equal((await call("POST", path, body([{ type: "BODY" }, otp]))).status, 200);
    const { body: { data } } = await call("GET", `${path}?name=login`);
    assert.match(data[0].components[0].text, /^\*\{\{1\}\}\* is your verification code\.$/);
    assert.match(data[0].components[1].buttons[0].url, /\{\{1\}\}$/);
  }));
