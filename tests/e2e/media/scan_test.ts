import assert from "node:assert/strict";
import { deleteMediaLeftovers } from "../../../supabase/functions/_shared/media/delete_leftovers.ts";
import { eventually } from "../../setup/eventually.ts";
import { closeServer } from "../../setup/http/close_server.ts";
import { closedPort } from "../../_shared/gateways/local_server.ts";
import { assertRefused } from "../assert_refused.ts";
import { openChat, type TestChat } from "../widgets/open_chat.ts";
import { type MediaApi, PDF, PNG, withMedia } from "./with_media.ts";

/** A stand-in for a virus scanner: files that contain `virus` are not clean. */
interface Scanner {
  /** Set to have it respond this instead. */
  response: Response | Promise<Response> | undefined;
  scanned: { type: string | null; length: string | null; bytes: number }[];
}

async function withScanner(fn: (api: MediaApi, scanner: Scanner) => Promise<void>): Promise<void> {
  const scanner: Scanner = { response: undefined, scanned: [] };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const bytes = await request.bytes();
    const { headers } = request;
    scanner.scanned.push({
      type: headers.get("content-type"),
      length: headers.get("content-length"),
      bytes: bytes.length,
    });
    return (await scanner.response)?.clone() ??
      Response.json({ clean: !new TextDecoder().decode(bytes).includes("virus") });
  });
  try {
    await withMedia((api) => fn(api, scanner), {
      OUTBOUND_SCAN_URL: `http://127.0.0.1:${server.addr.port}/scan`,
    });
  } finally {
    await closeServer(server);
  }
}

const INFECTED = new TextEncoder().encode("%PDF-1.4 a virus");

function send({ http }: MediaApi, chat: TestChat, bytes: Uint8Array<ArrayBuffer>) {
  return http.post(`/widget/conversations/${chat.id}/files`, undefined, {
    query: { client_message_id: crypto.randomUUID(), file_name: "a.pdf" },
    headers: { ...chat.asVisitor.headers, "content-type": "application/pdf" },
    rawBody: bytes,
  });
}

async function deleteRefused({ sql, services }: MediaApi): Promise<void> {
  await sql`update outbound.media_leftovers set due_at = now()`;
  await deleteMediaLeftovers(services);
}

Deno.test("a file of a member or a visitor is taken once the scanner finds it clean, and refused otherwise", () =>
  withScanner(async (api, scanner) => {
    const chat = await openChat(api);
    const clean = [await api.upload(PNG, "image/png"), await send(api, chat, PDF)];
    const infected = [await api.upload(INFECTED, "application/pdf"), await send(api, chat, INFECTED)];
    await deleteRefused(api);

    assert.deepEqual(clean.map(({ status }) => status), [200, 200]);
    for (const refused of infected) {
      assertRefused(refused, { status: 400, error: "validation_failed" });
      assert.deepEqual(refused.body.details, { field: "body", reason: "not_clean" });
    }
    assert.equal((await api.stored()).length, 2);
    assert.equal((await chat.read()).body.messages.length, 1);
    assert.deepEqual(scanner.scanned[0], {
      type: "image/png",
      length: String(PNG.length),
      bytes: PNG.length,
    });
  }));

Deno.test("a file that the scanner cannot check is refused", () =>
  withScanner(async (api, scanner) => {
    const chat = await openChat(api);
    const responses = [
      new Response(null, { status: 500 }),
      Response.json({ clean: true }, { status: 503 }),
      Response.json({ clean: "true" }),
      Response.json([]),
      new Response("clean"),
      new Response(" ".repeat(100_000)),
      // It is not followed: it could lead anywhere.
      new Response(null, { status: 307, headers: { location: "/scan" } }),
    ];
    for (const response of responses) {
      scanner.response = response;
      const refused = await send(api, chat, PDF);
      assertRefused(refused, { status: 502, error: "service_unavailable" });
      assert.equal(refused.body.details.service, "scanner");
    }
    await deleteRefused(api);
    assert.deepEqual(await api.stored(), []);
    assert.deepEqual((await chat.read()).body.messages, []);
  }));

Deno.test("a scanner that hangs holds up a few files of an address, and no other request", () =>
  withScanner(async (api, scanner) => {
    const chats = [await openChat(api), await openChat(api)];
    const verdict = Promise.withResolvers<Response>();
    scanner.response = verdict.promise;

    const waiting = [0, 1, 0, 1].map((index) => send(api, chats[index]!, PDF));
    await eventually(() => assert.equal(scanner.scanned.length, 4));
    const tooMany = await send(api, chats[0]!, PDF);
    const message = await chats[0]!.say("I have sent you a file");
    verdict.resolve(new Response(null, { status: 500 }));
    const refused = await Promise.all(waiting);
    await deleteRefused(api);

    assertRefused(tooMany, { status: 429, error: "rate_limit_exceeded" });
    assert.equal(tooMany.headers.get("retry-after"), "10");
    assert.equal(message.status, 200);
    for (const each of refused) assertRefused(each, { status: 502, error: "service_unavailable" });
    assert.deepEqual(await api.stored(), []);
    assert.deepEqual((await chats[0]!.read()).body.messages.length, 1);
    scanner.response = undefined;
    assert.equal((await send(api, chats[1]!, PDF)).status, 200, "its place is free again");
  }));

Deno.test("a file is refused while the scanner is down", () =>
  withMedia(async (api) => {
    const chat = await openChat(api);

    const refused = await send(api, chat, PDF);
    await deleteRefused(api);

    assertRefused(refused, { status: 502, error: "service_unavailable" });
    assert.equal(refused.body.details.service, "scanner");
    assert.deepEqual(await api.stored(), []);
  }, { OUTBOUND_SCAN_URL: `http://127.0.0.1:${closedPort()}/scan` }));

Deno.test("what a person sends on WhatsApp is scanned too: an infected file is neither stored nor passed on", () =>
  withScanner(async (api, scanner) => {
    scanner.response = Response.json({ clean: false });
    await api.sandbox.write("34600111222", { type: "image", phone_number_id: api.sender.platform_id });
    const message = () =>
      eventually(async () => {
        const { body } = await api.ask("GET", "/contacts/replies?number=34600111222");
        assert.equal(body.replies.length, 1);
        return body.replies[0];
      });
    const { message_id } = await message();

    await api.dispatch();
    const { attachment } = await message();
    const download = await api.ask("GET", `/contacts/replies/${message_id}/media`);

    assert.deepEqual([attachment.state, attachment.error_code], ["not_stored", "not_clean"]);
    assertRefused(download, { status: 400, error: "validation_failed" });
  }));
