import assert from "node:assert/strict";
import { deleteMediaLeftovers } from "../../../supabase/functions/_shared/media/delete_leftovers.ts";
import { PDF, PNG, withMedia } from "./with_media.ts";

Deno.test("a file is uploaded once, listed, shown, downloaded, linked and removed with its object", () =>
  withMedia(async (api) => {
    const { body: image } = await api.upload(PNG, "image/png", { name: "Año.png" });
    const { body: document } = await api.upload(PDF, "application/pdf", { name: "menu.pdf" });

    const again = await api.upload(PNG, "image/png");

    assert.deepEqual([image.kind, image.bytes, image.file_name], ["image", PNG.length, "Año.png"]);
    assert.equal(again.body.media_id, image.media_id);
    const list = async (query: string) => (await api.ask("GET", `/media?${query}`)).body;
    const first = await list("limit=1");
    assert.deepEqual(first.media, [document]);
    assert.deepEqual((await list(`limit=1&after=${first.next}`)).media, [image]);
    assert.deepEqual((await list("kind=image")).media, [image]);
    assert.deepEqual((await api.ask("GET", `/media/${image.media_id}`)).body, image);
    for (const [{ media_id }, shown] of [[image, "inline"], [document, "attachment"]] as const) {
      const { status, headers } = await api.ask("GET", `/media/${media_id}/content`);
      assert.deepEqual(
        [status, headers.get("content-disposition")?.split(";")[0], headers.get("x-content-type-options")],
        [200, shown, "nosniff"],
      );
    }
    const { body: link } = await api.ask("POST", `/media/${image.media_id}/link`, { expires_in_s: 60 });
    const linked = await fetch(link.url.replace(/^.*\/functions/, `${api.url}/functions`));
    assert.deepEqual([linked.status, await linked.bytes()], [200, PNG]);
    assert.equal(linked.headers.get("cache-control"), "private, no-store");

    assert.equal((await api.ask("DELETE", `/media/${image.media_id}`)).status, 200);
    assert.equal((await api.ask("DELETE", `/media/${image.media_id}`)).status, 404);
    await deleteMediaLeftovers(api.services);

    assert.deepEqual(await api.stored(), [`${api.company.id}/${document.media_id}`]);
    const gone = await fetch(link.url.replace(/^.*\/functions/, `${api.url}/functions`));
    assert.deepEqual([gone.status, (await gone.json()).error], [404, "not_found"]);
    const actions = await api.sql`select action, actor from outbound.audit_log order by at`;
    const actor = `key:${api.key.id}`;
    assert.deepEqual([...actions], [
      { action: "media.added", actor },
      { action: "media.added", actor },
      { action: "media.linked", actor },
      { action: "media.removed", actor },
    ]);
    const [left] = await api.sql`select count(*)::int as count from outbound.media_leftovers`;
    assert.equal(left!.count, 0);
  }));

const HTML = new TextEncoder().encode("<html><script>alert(1)</script></html>");

const REFUSALS: [
  why: string,
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
  status: number,
  field?: string,
][] = [
  ["a type that the platform does not take", HTML, "text/html", 400, "Content-Type"],
  ["a picture that is a page", HTML, "image/png", 400, "body"],
  ["a text that is a picture", PNG, "text/plain", 400, "body"],
  ["nothing", new Uint8Array(), "text/plain", 400, "Content-Length"],
  ["a sticker that is too large", new Uint8Array(512_001), "image/webp", 413],
];

for (const [why, bytes, type, status, field] of REFUSALS) {
  Deno.test(`POST …/media refuses ${why}, and stores nothing`, () =>
    withMedia(async (api) => {
      const refused = await api.upload(bytes, type);

      assert.deepEqual([refused.status, refused.body.details.field], [status, field]);
      await api.sql`update outbound.media_leftovers set due_at = now()`;
      await deleteMediaLeftovers(api.services);
      assert.deepEqual(await api.stored(), []);
    }));
}

Deno.test("a link opens nothing when it is forged, expired or of another use", () =>
  withMedia(async (api) => {
    const { body } = await api.upload(PNG, "image/png");
    const { body: { url } } = await api.ask("POST", `/media/${body.media_id}/link`);
    const token = url.split("/").at(-1);
    const [head, claims, signature] = token.split(".");

    const forged = [`${head}.${claims}.${signature.slice(1)}A`, `${head}.${claims}.`, "x", body.media_id];

    for (const each of forged) {
      assert.equal((await api.http.get(`/manage/linked_media/${each}`)).status, 404, each);
    }
  }));

Deno.test("the object of an upload that never ended is deleted later, and a company's with the company", () =>
  withMedia(async (api) => {
    const other = await api.addTenant();
    await api.http.post("/manage/companies/mine/media", undefined, {
      query: { access_key: other.key.key },
      headers: { "content-type": "image/png" },
      rawBody: PNG,
    });
    const { body } = await api.upload(PNG, "image/png");
    await api.sql`
      insert into outbound.media_leftovers values (${api.company.id}, gen_random_uuid(), 0, now() + interval '1 hour')`;
    assert.equal((await api.stored()).length, 2);

    await api.sql`delete from outbound.companies where id = ${other.company.id}`;
    await deleteMediaLeftovers(api.services);

    assert.deepEqual(await api.stored(), [`${api.company.id}/${body.media_id}`]);
    const [left] = await api.sql`select count(*)::int as count from outbound.media_leftovers`;
    assert.equal(left!.count, 1);
  }));

Deno.test("POST …/media responds 502 where no store is set up", () =>
  withMedia(async (api) => {
    api.services.mediaStore = null;

    const { status, body } = await api.upload(PNG, "image/png");

    assert.deepEqual([status, body.details.service], [502, "media"]);
  }));
