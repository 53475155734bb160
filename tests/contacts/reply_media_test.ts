import assert from "node:assert/strict";
import { withHttpServer } from "../_shared/gateways/local_server.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { ANA, receive } from "../webhooks/inbound.ts";
import { refuse, type Replies, withReplies } from "./with_replies.ts";

const BYTES = new Uint8Array([0xff, 0xd8, 1, 2, 3]);

/** A platform that has one file. `link` is where it says that the file is. */
function platform(link: (origin: string) => string, file: () => Response, described: JsonObject = {}) {
  return (request: Request): Response => {
    const url = new URL(request.url);
    if (request.headers.get("authorization")?.startsWith("Bearer ") !== true) return refuse(190, 401);
    if (url.pathname === "/file") return file();
    assert.ok(url.searchParams.get("phone_number_id"));
    return Response.json({ url: link(url.origin), mime_type: "image/jpeg", ...described });
  };
}

const own = (origin: string) => `${origin}/file`;

async function receiveImage(t: Replies, part: JsonObject = {}, kind = "image"): Promise<string> {
  await receive(t, t.company.sender, { type: kind, [kind]: { id: "777", ...part } });
  const [{ id }] = await t.sql`
    select id from outbound.contact_messages where number = ${ANA.number}` as unknown as [{ id: string }];
  return id;
}

const FILES: [type: string | undefined, part: JsonObject, served: string, name: string][] = [
  ["image/jpeg", {}, "image/jpeg", `attachment; filename="image.jpeg"; filename*=UTF-8''image.jpeg`],
  [
    "application/pdf; charset=x",
    { filename: 'Año "1"/2.pdf' },
    "application/pdf",
    `attachment; filename="A_o _1__2.pdf"; filename*=UTF-8''A%C3%B1o%20_1__2.pdf`,
  ],
  [
    "text/html",
    {},
    "application/octet-stream",
    `attachment; filename="image.html"; filename*=UTF-8''image.html`,
  ],
  [
    "image/svg+xml",
    {},
    "application/octet-stream",
    `attachment; filename="image.svgxml"; filename*=UTF-8''image.svgxml`,
  ],
];

for (const [mime_type, part, served, name] of FILES) {
  Deno.test(`GET …/contacts/replies/{id}/media streams a file of type ${mime_type} as ${served}`, () =>
    withReplies(async (t) => {
      const id = await receiveImage(t, part);

      const response = await t.app.fetch(
        new Request(
          `http://localhost/functions/v1/manage/companies/mine/contacts/replies/${id}/media?access_key=${t.company.key.key}`,
        ),
      );

      assert.equal(response.status, 200);
      assert.deepEqual(new Uint8Array(await response.arrayBuffer()), BYTES);
      assert.equal(response.headers.get("content-type"), served);
      assert.equal(response.headers.get("content-disposition"), name);
      assert.equal(response.headers.get("x-content-type-options"), "nosniff");
      const rows = await t.sql`select actor, action, subject from outbound.audit_log`;
      assert.deepEqual([...rows], [{ actor: `key:${t.company.key.id}`, action: "media.read", subject: id }]);
    }, platform(own, () => new Response(BYTES), { mime_type })));
}

Deno.test("the token goes to no other host than the platform's, whatever the platform names", async () => {
  const stolen: string[] = [];
  await withHttpServer((request) => {
    stolen.push(request.headers.get("authorization") ?? "nothing");
    return new Response(BYTES);
  }, async (elsewhere) => {
    const links = [
      `${elsewhere}/file`,
      "http://lookaside.fbsbx.com/file",
      "https://lookaside.fbsbx.com.evil.test/file",
      "https://evil-fbsbx.com/file",
      "https://me:pw@lookaside.fbsbx.com/file",
      "file:///etc/passwd",
      "not a url",
    ];
    for (const link of links) {
      await withReplies(async (t) => {
        const id = await receiveImage(t);

        const { status, body } = await t.ask("GET", `replies/${id}/media`);

        assert.deepEqual([status, body.error], [502, "service_unavailable"], link);
      }, platform(() => link, () => new Response(BYTES)));
    }
    await withReplies(async (t) => {
      const id = await receiveImage(t);

      const { status } = await t.ask("GET", `replies/${id}/media`);

      assert.equal(status, 502);
    }, platform(own, () => new Response(null, { status: 302, headers: { location: `${elsewhere}/file` } })));
  });
  assert.deepEqual(stolen, []);
});

const REFUSALS: [why: string, respond: (request: Request) => Response, status: number, error: string][] = [
  ["an expired file", () => refuse(100), 404, "not_found"],
  ["an expired link", platform(own, () => new Response(null, { status: 404 })), 404, "not_found"],
  ["a withdrawn token", () => refuse(190, 401), 502, "service_unavailable"],
  ["a response that names no file", () => Response.json({}), 502, "service_unavailable"],
  [
    "a file that is too large",
    platform(own, () => new Response(new ReadableStream(), { headers: { "content-length": "104857601" } })),
    413,
    "payload_too_large",
  ],
];

for (const [why, respond, status, error] of REFUSALS) {
  Deno.test(`GET …/contacts/replies/{id}/media responds ${status} for ${why}`, () =>
    withReplies(async (t) => {
      const id = await receiveImage(t);

      const response = await t.ask("GET", `replies/${id}/media`);

      assert.deepEqual([response.status, response.body.error], [status, error]);
    }, respond));
}

Deno.test("GET …/contacts/replies/{id}/media knows no other company's message, no text and no made-up id", () =>
  withReplies(async (t) => {
    const id = await receiveImage(t);
    await t.sql`update outbound.contact_messages set content = null`;

    for (const each of [id, crypto.randomUUID(), "x"]) {
      const { status, body } = await t.ask("GET", `replies/${each}/media`);

      assert.deepEqual([status, body.error], [404, "not_found"]);
    }
  }));
