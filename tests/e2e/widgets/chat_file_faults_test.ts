import assert from "node:assert/strict";
import { deleteMediaLeftovers } from "../../../supabase/functions/_shared/media/delete_leftovers.ts";
import { eventually } from "../../setup/eventually.ts";
import { BASE_PATH } from "../../setup/http/http.ts";
import { assertRefused } from "../assert_refused.ts";
import { type MediaApi, withMedia } from "../media/with_media.ts";
import { openChat, type TestChat } from "./open_chat.ts";

const MEGABYTE = 1024 * 1024;

/** A PDF of so many bytes. */
function pdf(bytes: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(bytes).fill(0x20);
  file.set(new TextEncoder().encode("%PDF-1.4"));
  return file;
}

/** The path and query of a file's upload. */
function uploadPath({ id }: TestChat): string {
  const query = new URLSearchParams({ client_message_id: crypto.randomUUID(), file_name: "a.pdf" });
  return `/widget/conversations/${id}/files?${query}`;
}

function send({ http }: MediaApi, chat: TestChat, bytes: Uint8Array<ArrayBuffer>) {
  return http.post(uploadPath(chat), undefined, {
    headers: { ...chat.asVisitor.headers, "content-type": "application/pdf" },
    rawBody: bytes,
  });
}

/** Returns the bytes of the company's files, and those that count towards its visitors' day. */
async function used({ sql, company }: MediaApi) {
  const [media] = await sql`
    select bytes::int, visitor_bytes::int from outbound.media_usage where company_id = ${company.id}`;
  const [day] = await sql`
    select stored_bytes::int from outbound.visitor_usage
    where company_id = ${company.id} and subject_id = ${company.id}`;
  return { bytes: media?.bytes, visitor_bytes: media?.visitor_bytes, day: day!.stored_bytes };
}

/** The leftovers that nothing writes any more, once there are `count` of them. */
async function abandoned({ sql, company }: MediaApi, count: number): Promise<void> {
  await eventually(async () => {
    const rows = await sql`
      select 1 from outbound.media_leftovers
      where company_id = ${company.id} and due_at < now() + interval '10 minutes'`;
    assert.equal(rows.length, count);
  });
  await sql`update outbound.media_leftovers set due_at = now() where company_id = ${company.id}`;
}

Deno.test("a file that the folder cannot take is refused to the end of its upload, and leaves nothing", () =>
  withMedia(async (api) => {
    const chat = await openChat(api);
    const before = (await used(api)).day;
    const folder = `${api.mediaFolder}/${api.company.id}`;
    await Deno.writeTextFile(folder, "a file where the company's folder should be");

    const refused = [await send(api, chat, pdf(100)), await send(api, chat, pdf(5 * MEGABYTE))];
    await Deno.remove(folder);
    await abandoned(api, 2);
    await deleteMediaLeftovers(api.services);

    for (const each of refused) {
      assertRefused(each, { status: 502, error: "service_unavailable" });
      assert.equal(each.body.details.service, "media");
    }
    assert.deepEqual((await chat.read()).body.messages, []);
    assert.deepEqual(await used(api), { bytes: 0, visitor_bytes: 0, day: before });
    assert.equal((await send(api, chat, pdf(100))).status, 200);
  }));

/** Sends the first half of a file of a megabyte, and waits until the service writes it. */
async function startUpload(api: MediaApi, chat: TestChat): Promise<Deno.Conn> {
  const { hostname, port } = new URL(api.url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const head = [
    `POST ${BASE_PATH}${uploadPath(chat)} HTTP/1.1`,
    "Host: localhost",
    `Authorization: ${chat.asVisitor.headers.authorization}`,
    "Content-Type: application/pdf",
    `Content-Length: ${MEGABYTE}`,
    "Connection: close",
  ];
  await writeAll(connection, new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n`));
  await writeAll(connection, pdf(MEGABYTE / 2));
  await eventually(async () => assert.equal((await api.stored()).length, 1));
  return connection;
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

Deno.test("an upload that the visitor's browser breaks off leaves nothing", () =>
  withMedia(async (api) => {
    const chat = await openChat(api);
    const before = (await used(api)).day;

    (await startUpload(api, chat)).close();
    await abandoned(api, 1);
    await deleteMediaLeftovers(api.services);

    assert.deepEqual(await api.stored(), []);
    assert.deepEqual((await chat.read()).body.messages, []);
    assert.deepEqual(await used(api), { bytes: 0, visitor_bytes: 0, day: before });
  }));

Deno.test("a conversation that ends during an upload takes no file more, and nothing of it stays", () =>
  withMedia(async (api) => {
    const chat = await openChat(api);
    const connection = await startUpload(api, chat);

    await chat.close();
    await writeAll(connection, pdf(MEGABYTE / 2));
    const response = await new Response(connection.readable).text();
    await deleteMediaLeftovers(api.services);

    assert.match(response, /^HTTP\/1\.1 409 /);
    assert.match(response, /"error":"conversation_closed"/);
    assert.deepEqual(await api.stored(), []);
    assert.deepEqual((await chat.read()).body.messages, []);
    const { bytes, visitor_bytes } = await used(api);
    assert.deepEqual([bytes, visitor_bytes], [0, 0]);
  }));
