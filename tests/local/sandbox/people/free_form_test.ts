import assert from "node:assert/strict";
import { eventually } from "../../../setup/eventually.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import { NUMBER_ID } from "../with_platform.ts";
import { ANA, withPeople } from "./with_people.ts";

const message = (type: string, value: unknown, more: JsonObject = {}) => ({
  messaging_product: "whatsapp",
  recipient_type: "individual",
  to: `+${ANA}`,
  type,
  [type]: value,
  ...more,
});

const LINK = "https://cdn.example.test/a.bin";
const WHOLE = ["sent", "delivered", "read"];

interface Kind {
  body: JsonObject;
  /** The message as the phone shows it. */
  rendered: JsonObject;
  statuses: string[];
}

const KINDS: Kind[] = [
  {
    body: message("text", { body: "Hello", preview_url: false }),
    rendered: { body: "Hello" },
    statuses: WHOLE,
  },
  {
    body: message("image", { link: LINK, caption: "Look" }),
    rendered: { body: "Look", header: { format: "IMAGE", link: LINK } },
    statuses: WHOLE,
  },
  {
    body: message("audio", { link: LINK }),
    rendered: { body: "", header: { format: "AUDIO", link: LINK } },
    statuses: WHOLE,
  },
  {
    body: message("video", { link: LINK, caption: "Watch" }),
    rendered: { body: "Watch", header: { format: "VIDEO", link: LINK } },
    statuses: WHOLE,
  },
  {
    body: message("document", { link: LINK, caption: "Read", filename: "a.pdf" }),
    rendered: { body: "Read", header: { format: "DOCUMENT", link: LINK, filename: "a.pdf" } },
    statuses: WHOLE,
  },
  {
    body: message("sticker", { link: LINK }),
    rendered: { body: "", header: { format: "STICKER", link: LINK } },
    statuses: WHOLE,
  },
  {
    body: message("reaction", { message_id: "wamid.X", emoji: "👍" }),
    rendered: { body: "👍" },
    statuses: ["sent"],
  },
];

for (const { body, rendered, statuses } of KINDS) {
  Deno.test(`POST /messages sends a ${body.type} while the window is open, and none after`, () =>
    withPeople(async (people) => {
      const closed = await people.post(body);
      await people.act(ANA, "messages", { type: "text", text: "Hi", phone_number_id: NUMBER_ID });
      const open = await people.post({
        ...body,
        biz_opaque_callback_data: "ref-1",
        context: { message_id: "wamid.Y" },
      });

      assert.deepEqual([closed.status, open.status], [200, 200], JSON.stringify(open.body));
      assert.deepEqual(Object.keys(open.body.messages[0]), ["id"], "only templates have a message_status");
      const reported = await people.statuses(1 + statuses.length);
      const of = (id: string) => reported.filter((status) => status.id === id);
      const [failed] = of(closed.body.messages[0].id);
      assert.deepEqual([failed!.status, failed!.errors[0].code], ["failed", 131047]);
      const fine = of(open.body.messages[0].id);
      assert.deepEqual(fine.map(({ status }) => status), statuses);
      assert.ok(fine.every(({ biz_opaque_callback_data }) => biz_opaque_callback_data === "ref-1"));
      assert.equal(fine[0]!.pricing.category, "service");
      const [, kept] = (await people.control("GET", "messages")).body.data;
      assert.deepEqual([kept.type, kept.template, kept.context], [body.type, null, "wamid.Y"]);
      assert.deepEqual({ ...kept.rendered, ...rendered }, kept.rendered);
    }));
}

Deno.test("POST /messages sends a text to a user id while the window is open", () =>
  withPeople(async (people) => {
    await people.act(ANA, "hide");
    await people.act(ANA, "messages", { type: "text", text: "Hi", phone_number_id: NUMBER_ID });
    const { to: _to, ...body } = message("text", { body: "Hello" });

    await people.post({ ...body, recipient: await people.userId() });

    const reported = await people.statuses(3);
    assert.deepEqual(
      reported.map(({ status, recipient_id }) => [status, recipient_id]),
      WHOLE.map((status) => [
        status,
        undefined,
      ]),
    );
  }));

Deno.test("the window is open for one number only, and opened by any message", () =>
  withPeople(async (people) => {
    await people.send();
    await people.statuses(3);
    await people.act(ANA, "messages", { type: "reaction", emoji: "👍" });
    await people.post(message("text", { body: "one" }));
    await people.post(message("text", { body: "two" }, { to: "+573001112244" }));

    await eventually(async () => {
      const { data } = (await people.control("GET", "messages")).body;
      assert.deepEqual(data.map(({ statuses }: JsonObject) => statuses.at(-1)?.status), [
        "read",
        "read",
        "failed",
      ]);
    });
  }));

Deno.test("a fault refuses a text outside the window in the response", () =>
  withPeople(async ({ control, post, send }) => {
    await control("POST", "faults", { match: { type: "text" }, fault: { code: 131047 } });

    const refused = await post(message("text", { body: "Hello" }));

    assert.deepEqual([refused.status, refused.body.error.code], [400, 131047]);
    assert.equal((await send()).status, 200);
  }));

const REFUSALS: { case: string; body: JsonObject; code: number; details: RegExp }[] = [
  { case: "a text without a body", body: message("text", {}), code: 131008, details: /text.body/ },
  {
    case: "a text over 4096",
    body: message("text", { body: "x".repeat(4097) }),
    code: 131009,
    details: /text/,
  },
  { case: "a picture without link and id", body: message("image", {}), code: 131008, details: /image.link/ },
  {
    case: "a picture with both",
    body: message("image", { id: "1", link: LINK }),
    code: 131009,
    details: /either/,
  },
  {
    case: "a picture that was not uploaded",
    body: message("image", { id: "1" }),
    code: 131009,
    details: /uploaded/,
  },
  {
    case: "a caption over 1024",
    body: message("image", { link: LINK, caption: "x".repeat(1025) }),
    code: 131009,
    details: /caption/,
  },
  {
    case: "a sound with a caption",
    body: message("audio", { link: LINK, caption: "x" }),
    code: 100,
    details: /caption/,
  },
  {
    case: "a reaction to nothing",
    body: message("reaction", { emoji: "👍" }),
    code: 131008,
    details: /message_id/,
  },
  {
    case: "a text with a picture",
    body: message("text", { body: "x" }, { image: { link: LINK } }),
    code: 100,
    details: /image/,
  },
];

for (const { case: what, body, code, details } of REFUSALS) {
  Deno.test(`POST /messages refuses ${what} with ${code}`, () =>
    withPeople(async ({ post }) => {
      const { error } = (await post(body)).body;

      assert.equal(error.code, code, JSON.stringify(error));
      assert.match(error.error_data.details, details);
    }));
}
