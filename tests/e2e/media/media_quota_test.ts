import assert from "node:assert/strict";
import { addMedia } from "../../../supabase/functions/_shared/media/add_media.ts";
import { deleteMediaLeftovers } from "../../../supabase/functions/_shared/media/delete_leftovers.ts";
import { eventually } from "../../setup/eventually.ts";
import { type MediaApi, withMedia } from "./with_media.ts";

const MAX = 1024 * 1024;
const ENV = { OUTBOUND_MEDIA_MAX_MB: "1" };

/** A PDF of so many bytes that no other one has. */
function pdf(bytes: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(bytes).fill(0x20);
  file.set(new TextEncoder().encode(`%PDF-1.4 ${crypto.randomUUID()}`));
  return file;
}

async function used({ sql, company }: MediaApi): Promise<{ counted: number; stored: number }> {
  const [row] = await sql<{ counted: number; stored: number }[]>`
    select (select bytes::int from outbound.media_usage where company_id = ${company.id}) as counted,
      (select coalesce(sum(bytes), 0)::int from outbound.media_files where company_id = ${company.id}) as stored`;
  return row!;
}

Deno.test("POST …/media refuses a file for which the company has no room, until it removes others", () =>
  withMedia(async (api) => {
    const first = await api.upload(pdf(700_000), "application/pdf");
    const other = await api.addTenant();

    const refused = await api.upload(pdf(400_000), "application/pdf");
    const ofOther = await api.http.post("/manage/companies/mine/media", undefined, {
      query: { access_key: other.key.key },
      headers: { "content-type": "application/pdf" },
      rawBody: pdf(400_000),
    });
    await api.ask("DELETE", `/media/${first.body.media_id}`);
    await deleteMediaLeftovers(api.services);
    const fits = await api.upload(pdf(400_000), "application/pdf");

    assert.deepEqual([refused.status, refused.body.error], [429, "quota_exceeded"]);
    assert.match(refused.body.message, /1 MB.*remove files/);
    assert.deepEqual(refused.body.details, { quota: "media", limit_bytes: MAX });
    assert.deepEqual([ofOther.status, fits.status], [200, 200]);
    assert.deepEqual(await used(api), { counted: 400_000, stored: 400_000 });
  }, ENV));

Deno.test("the room of a company holds for uploads and removals at once, and counts no content twice", () =>
  withMedia(async (api) => {
    const { services, company } = api;
    const upload = (bytes: Uint8Array<ArrayBuffer>) =>
      addMedia(services, {
        companyId: company.id,
        kind: "document",
        file_name: null,
        message_id: null,
        type: "application/pdf",
        length: bytes.length,
        body: new Blob([bytes]).stream(),
      }, { actor: "cli" }).catch((error) => error.code);
    const same = pdf(100_000);

    const results = await Promise.all(Array.from({ length: 20 }, () => upload(pdf(200_000))));
    const before = await used(api);
    const ids = results.filter((each) => each !== "quota_exceeded");
    await Promise.all([
      ...ids.slice(0, 3).map((id) => api.ask("DELETE", `/media/${id}`)),
      ...Array.from({ length: 5 }, () => deleteMediaLeftovers(services)),
    ]);
    const inTheEnd = (bytes: number) =>
      eventually(async () => {
        await deleteMediaLeftovers(services);
        assert.deepEqual(await used(api), { counted: bytes, stored: bytes });
      });
    await inTheEnd(400_000);
    await Promise.all([1, 2, 3].map(() => upload(same)));
    await inTheEnd(500_000);

    assert.equal(ids.length, 5, results.join());
    assert.deepEqual(before, { counted: 1_000_000, stored: 1_000_000 });
    assert.equal((await api.stored()).length, 3);
  }, ENV));

Deno.test("an upload that broke off gives its room back soon", () =>
  withMedia(async (api) => {
    const { services, company } = api;
    const body = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error("broken")) });
    const incoming = { companyId: company.id, kind: "image", type: "image/png", length: 1000, body } as const;

    await assert.rejects(
      addMedia(services, { ...incoming, file_name: null, message_id: null }, { actor: "cli" }),
      /broken/,
    );

    const [left] = await api.sql<{ due_s: number }[]>`
      select extract(epoch from due_at - now())::float8 as due_s from outbound.media_leftovers`;
    assert.ok(left!.due_s <= 300, `${left!.due_s} s`);
    await api.sql`update outbound.media_leftovers set due_at = now()`;
    await deleteMediaLeftovers(services);
    assert.equal((await used(api)).counted, 0);
  }, ENV));

Deno.test("a person's file for which there is no room is not stored, says so, and can be downloaded", () =>
  withMedia(async (api) => {
    const full = await api.upload(pdf(MAX), "application/pdf");
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
    await api.ask("DELETE", `/media/${full.body.media_id}`);
    await deleteMediaLeftovers(api.services);
    await api.ask("GET", `/contacts/replies/${message_id}/media`);

    assert.deepEqual([attachment.state, attachment.error_code], ["not_stored", "quota_exceeded"]);
    assert.match(attachment.error_reason, /remove files/);
    assert.deepEqual([download.status, download.headers.get("content-type")], [200, "image/png"]);
    assert.equal((await message()).attachment.state, "stored");
  }, ENV));
