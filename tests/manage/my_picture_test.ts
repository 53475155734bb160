import assert from "node:assert/strict";
import { deleteMediaLeftovers } from "../../supabase/functions/_shared/media/delete_leftovers.ts";
import { filesBelow, PNG } from "../e2e/media/with_media.ts";
import { insertCompany, insertKey, insertMember } from "../setup/fixtures/fixtures.ts";
import { closeServer } from "../setup/http/close_server.ts";
import type { JsonObject, TestAnswer } from "../setup/http/http.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { openChat } from "./open_chat.ts";
import { auditOf } from "./read_audit.ts";
import { type LoggedIn, type Manage, withManage } from "./with_manage.ts";

interface Pictures extends Manage {
  /** The files in the folder of media, by their paths below it. */
  stored(): Promise<string[]>;
}

/** Calls `fn` with the service and an empty folder for media. */
function withPictures(fn: (t: Pictures) => Promise<void>, env: Record<string, string> = {}): Promise<void> {
  return withTempFolder((folder) =>
    withManage((t) => fn({ ...t, stored: () => filesBelow(folder) }), {
      env: { OUTBOUND_MEDIA_FOLDER: folder, ...env },
    })
  );
}

/** Stores the picture of a member. */
function save(
  t: Manage,
  { token }: LoggedIn,
  { bytes = PNG, type = "image/png", companyId = t.company.id }: {
    bytes?: Uint8Array<ArrayBuffer>;
    type?: string;
    companyId?: string;
  } = {},
): Promise<TestAnswer<JsonObject>> {
  return t.http.request("PUT", `/manage/companies/${companyId}/my/picture`, undefined, {
    headers: { authorization: `Bearer ${token}`, "content-type": type },
    rawBody: bytes,
  });
}

/** Loads a picture as a visitor's browser does. */
function load(t: Manage, url: string): Promise<TestAnswer<string>> {
  return t.http.request("GET", url.replace(/^.*\/functions\/v1/, ""));
}

/** A picture of the same size in pixels, with other bytes. */
const OTHER_PNG = new Uint8Array([...PNG, 0]);

const below = (t: Manage, path: string) => `/companies/${t.company.id}${path}`;

/** Removes the objects that are left over, also those of uploads that failed. */
async function deleteLeftovers({ sql, services }: Manage): Promise<void> {
  await sql`update outbound.media_leftovers set due_at = now()`;
  await deleteMediaLeftovers(services);
}

/** Gives a member a name, as the login service has it. */
async function named(t: Manage, name: string): Promise<LoggedIn> {
  const user = await t.createUser({ name });
  await insertMember(t.sql, t.company.id, user.id, "operator");
  const token = await t.logIn(user);
  await t.services.memberNames.refresh(user.id);
  return {
    userId: user.id,
    token,
    ask: (method, path, body) =>
      t.http.request(method, `/manage${path}`, body, { headers: { authorization: `Bearer ${token}` } }),
  };
}

async function lastSender({ sql }: Manage, chat: string): Promise<JsonObject | null> {
  const [row] = await sql`
    select outbound.describe_message(m) -> 'sender' as sender from outbound.conversation_messages as m
    where m.conversation_id = ${chat} order by m.sequence desc limit 1`;
  return row!.sender;
}

Deno.test("a member's picture is beside the replies that a visitor sees, and loads without a key", () =>
  withPictures(async (t) => {
    const ana = await named(t, "Ana Ruiz");
    const chat = await openChat(t, "Hello?");
    const { status, body: { picture_url } } = await save(t, ana);

    await ana.ask("POST", below(t, `/conversations/${chat}/reply`), { text: "Hi" });

    assert.equal(status, 200);
    assert.deepEqual((await ana.ask("GET", below(t, "/my/picture"))).body, { picture_url });
    assert.deepEqual(await lastSender(t, chat), { name: "Ana", avatar_url: picture_url });
    const shown = await load(t, picture_url);
    assert.deepEqual(
      ["content-type", "content-length", "cache-control", "x-content-type-options"].map((name) =>
        shown.headers.get(name)
      ),
      ["image/png", String(PNG.length), "private, max-age=31536000, immutable", "nosniff"],
    );
  }));

Deno.test("a widget that keeps names from visitors keeps pictures from them, too", () =>
  withPictures(async (t) => {
    const ana = await named(t, "Ana Ruiz");
    await save(t, ana);
    const chat = await openChat(t, "Hello?", { features: { names: false } });

    await ana.ask("POST", below(t, `/conversations/${chat}/reply`), { text: "Hi" });

    assert.equal(await lastSender(t, chat), null);
  }));

Deno.test("a picture that replaces another has a new address; the former address opens it uncached", () =>
  withPictures(async (t) => {
    const { operator } = t.members;
    const { body: first } = await save(t, operator);

    const { body: second } = await save(t, operator, { bytes: OTHER_PNG });
    await deleteLeftovers(t);

    assert.notEqual(second.picture_url, first.picture_url);
    for (
      const [url, cache] of [[first.picture_url, "private, no-cache"], [
        second.picture_url,
        "private, max-age=31536000, immutable",
      ]]
    ) {
      const { headers } = await load(t, url);
      assert.deepEqual([headers.get("content-length"), headers.get("cache-control")], [
        String(OTHER_PNG.length),
        cache,
      ]);
    }
    assert.deepEqual(await t.stored(), [`${t.company.id}/${second.picture_url.split("/").at(-1)}`]);
    const actor = `user:${operator.userId}`;
    const of = (bytes: number) => ({
      ...{ actor, action: "member.picture_set", subject: operator.userId, before: null },
      after: { bytes, content_type: "image/png" },
    });
    assert.deepEqual(await auditOf(t), [of(OTHER_PNG.length), of(PNG.length)]);
  }));

Deno.test("a picture that is removed is gone with its object, and so is that of a member who is", () =>
  withPictures(async (t) => {
    const { operator, viewer, owner } = t.members;
    const urls = [(await save(t, operator)).body.picture_url, (await save(t, viewer)).body.picture_url];
    assert.equal((await t.stored()).length, 2);

    const removed = await operator.ask("DELETE", below(t, "/my/picture"));
    const again = await operator.ask("DELETE", below(t, "/my/picture"));
    await owner.ask("DELETE", below(t, `/members/${viewer.userId}`));
    await deleteMediaLeftovers(t.services);

    assert.deepEqual([removed.body, again.body], [{ picture_url: null }, { picture_url: null }]);
    for (const url of urls) assert.equal((await load(t, url)).status, 404);
    assert.deepEqual(await t.stored(), []);
    const [usage] = await t
      .sql`select bytes::int from outbound.media_usage where company_id = ${t.company.id}`;
    assert.equal(usage!.bytes, 0);
    const { body: { audit } } = await owner.ask("GET", below(t, "/audit"));
    const actions = audit.map(({ action }: JsonObject) => action);
    assert.equal(actions.filter((action: string) => action === "member.picture_removed").length, 1);
  }));

Deno.test("members see each other's pictures where members are listed", () =>
  withPictures(async (t) => {
    const { operator, owner } = t.members;
    const { body: { picture_url } } = await save(t, operator);

    for (const path of ["/members", "/conversations/assignees"]) {
      const { body: { members } } = await owner.ask("GET", below(t, path));
      const shown = members.filter((member: JsonObject) => member.picture_url !== null);
      assert.deepEqual(
        shown.map((member: JsonObject) => [member.user_id, member.picture_url]),
        [[operator.userId, picture_url]],
        path,
      );
    }
  }));

Deno.test("a picture is the member's own in one company: others cannot change it, and its address opens no other", () =>
  withPictures(async (t) => {
    const { operator, owner } = t.members;
    const other = await insertCompany(t.sql);
    await insertMember(t.sql, other.id, operator.userId, "operator");
    const { body: { picture_url } } = await save(t, operator);
    const { key } = await insertKey(t.sql, t.company.id, {});

    assert.equal((await save(t, t.stranger)).status, 404);
    assert.equal((await save(t, owner, { companyId: other.id })).status, 404);
    assert.equal((await save(t, { ...operator, token: key })).status, 403);
    const elsewhere = await operator.ask("GET", `/companies/${other.id}/my/picture`);
    await operator.ask("DELETE", `/companies/${other.id}/my/picture`);
    await owner.ask("DELETE", below(t, "/my/picture"));

    assert.equal(elsewhere.body.picture_url, null);
    assert.equal((await load(t, picture_url)).status, 200);
    const [pictureId, token, companyId] = picture_url.split("/").reverse();
    for (
      const path of [
        `${other.id}/${token}/${pictureId}`,
        `${companyId}/${crypto.randomUUID()}/${pictureId}`,
        `${companyId}/${operator.userId}/${pictureId}`,
        `${companyId}/x/${pictureId}`,
      ]
    ) {
      assert.equal((await t.http.get(`/widget/pictures/${path}`)).status, 404, path);
    }
  }));

const text = (content: string) => new TextEncoder().encode(content);

/** The beginning of a PNG that claims a size. */
function claiming(width: number, height: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(PNG);
  new DataView(bytes.buffer).setUint32(16, width);
  new DataView(bytes.buffer).setUint32(20, height);
  return bytes;
}

const SVG = text("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>");

const REFUSALS: [
  why: string,
  picture: { bytes: Uint8Array<ArrayBuffer>; type: string },
  status: number,
  field?: string,
][] = [
  ["an SVG", { bytes: SVG, type: "image/svg+xml" }, 400, "Content-Type"],
  ["an SVG that is called a PNG", { bytes: SVG, type: "image/png" }, 400, "body"],
  ["a PNG that is called a JPEG", { bytes: PNG, type: "image/jpeg" }, 400, "body"],
  ["a GIF", { bytes: text("GIF89a"), type: "image/gif" }, 400, "Content-Type"],
  ["nothing", { bytes: new Uint8Array(), type: "image/png" }, 400, "body"],
  ["an image that is cut off", { bytes: PNG.slice(0, 12), type: "image/png" }, 400, "body"],
  ["an image of too many pixels", { bytes: claiming(1025, 1), type: "image/png" }, 400, "body"],
  ["an image of too many bytes", { bytes: new Uint8Array(512 * 1024 + 1), type: "image/png" }, 413],
];

for (const [why, picture, status, field] of REFUSALS) {
  Deno.test(`PUT …/my/picture refuses ${why}, and keeps the picture before`, () =>
    withPictures(async (t) => {
      const { operator } = t.members;
      const { body } = await save(t, operator);

      const refused = await save(t, operator, picture);

      assert.deepEqual([refused.status, refused.body.details.field], [status, field]);
      assert.deepEqual((await operator.ask("GET", below(t, "/my/picture"))).body, body);
      assert.equal((await t.stored()).length, 1);
    }));
}

Deno.test("a picture that the scanner refuses is not stored", async () => {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    await request.bytes();
    return Response.json({ clean: false });
  });
  try {
    await withPictures(async (t) => {
      const refused = await save(t, t.members.operator);
      await deleteLeftovers(t);

      assert.deepEqual([refused.status, refused.body.details.reason], [400, "not_clean"]);
      assert.deepEqual((await t.members.operator.ask("GET", below(t, "/my/picture"))).body, {
        picture_url: null,
      });
      assert.deepEqual(await t.stored(), []);
    }, { OUTBOUND_SCAN_URL: `http://127.0.0.1:${server.addr.port}/scan` });
  } finally {
    await closeServer(server);
  }
});

Deno.test("of two pictures at once one stays, and the other's object goes", () =>
  withPictures(async (t) => {
    const { operator } = t.members;

    const responses = await Promise.all([save(t, operator), save(t, operator, { bytes: OTHER_PNG })]);
    await deleteMediaLeftovers(t.services);

    assert.deepEqual(responses.map(({ status }) => status), [200, 200]);
    const { body: { picture_url } } = await operator.ask("GET", below(t, "/my/picture"));
    assert.deepEqual(await t.stored(), [`${t.company.id}/${picture_url.split("/").at(-1)}`]);
  }));

Deno.test("without a media store no picture is taken", () =>
  withManage(async (t) => {
    const refused = await save(t, t.members.operator);

    assert.deepEqual([refused.status, refused.body.error], [502, "service_unavailable"]);
  }));
