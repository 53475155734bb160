import assert from "node:assert/strict";
import type { JsonObject } from "../../../setup/http/http.ts";
import {
  button,
  type CallOptions,
  NUMBER_ID,
  OTHER_TOKEN,
  sendBody,
  textBody,
  useTemplate,
  withPlatform,
} from "../with_platform.ts";

interface Refusal {
  case: string;
  changes?: JsonObject;
  options?: CallOptions;
  /** Another path than the account's number. */
  path?: string;
  code: number;
  status: number;
  details?: RegExp;
  subcode?: number;
}

const using = (name: string, ...components: unknown[]) => ({ template: useTemplate(name, components) });
const header = (...parameters: unknown[]) => ({ type: "header", parameters });
const text = (value: string, more: JsonObject = {}) => ({ type: "text", text: value, ...more });
const image = (link: string) => ({ type: "image", image: { link } });
const code = (value: string) => button("copy_code", 3, { type: "coupon_code", coupon_code: value });
const link = (value: string) => button("url", 0, text(value));
const raw = (body: unknown, headers: Record<string, string> = {}) => ({ options: { body, headers } });
const { to: _to, ...withoutTo } = sendBody();
const { type: _type, ...withoutType } = sendBody();
const { template: _template, ...withoutTemplate } = sendBody();

const REFUSALS: Refusal[] = [
  { case: "no token", options: { token: null }, code: 200, status: 401 },
  { case: "an unknown token", options: { token: "wrong" }, code: 190, status: 401 },
  { case: "an unknown number id", path: "/v25.0/999/messages", code: 100, subcode: 33, status: 400 },
  {
    case: "the digits of the number as id",
    path: "/15550001111/messages",
    code: 100,
    subcode: 33,
    status: 400,
  },
  { case: "another account's number", options: { token: OTHER_TOKEN }, code: 100, subcode: 33, status: 400 },

  { case: "a body that is not JSON", ...raw("{"), code: 100, status: 400 },
  { case: "a body that is a list", ...raw([]), code: 131009, status: 400 },
  {
    case: "another content type",
    ...raw(sendBody(), { "Content-Type": "text/plain" }),
    code: 100,
    status: 400,
  },
  { case: "neither to nor recipient", ...raw(withoutTo), code: 100, status: 400 },
  { case: "no type", ...raw(withoutType), code: 131008, status: 400, details: /type/ },
  { case: "no template", ...raw(withoutTemplate), code: 131008, status: 400, details: /template/ },
  {
    case: "no template name",
    changes: { template: { language: { code: "en" } } },
    code: 131008,
    status: 400,
  },
  { case: "no language", changes: { template: { name: "two_values" } }, code: 131008, status: 400 },
  { case: "another product", changes: { messaging_product: "sms" }, code: 131009, status: 400 },
  { case: "a group", changes: { recipient_type: "group" }, code: 131009, status: 400 },
  { case: "a text message without a text", changes: { type: "text" }, code: 131008, status: 400 },
  { case: "a list of buttons", changes: { type: "interactive" }, code: 131051, status: 400 },
  { case: "an unknown field", changes: { colour: "red" }, code: 100, status: 400, details: /colour/ },
  {
    case: "an unknown field in the template",
    changes: { template: { ...useTemplate("two_values"), namespace: "x" } },
    code: 100,
    status: 400,
    details: /namespace.*template/,
  },
  {
    case: "a reference over 512",
    changes: { biz_opaque_callback_data: "x".repeat(513) },
    code: 131009,
    status: 400,
  },

  { case: "a number of 6 digits", changes: { to: "+123456" }, code: 131009, status: 400 },
  { case: "a number of 16 digits", changes: { to: "+1234567890123456" }, code: 131009, status: 400 },
  { case: "a number starting with 0", changes: { to: "+0300111223" }, code: 131009, status: 400 },
  { case: "letters in the number", changes: { to: "+57300CALLME" }, code: 131009, status: 400 },
  { case: "a number that is no text", changes: { to: 573001112233 }, code: 131009, status: 400 },
  { case: "itself as recipient", changes: { to: "+1 (555) 000-1111" }, code: 131021, status: 400 },

  {
    case: "an unknown template",
    changes: using("nothing"),
    code: 132001,
    status: 404,
    details: /nothing.*en_US/,
  },
  {
    case: "an unknown language",
    changes: { template: useTemplate("two_values", [textBody("a", "b")], "en") },
    code: 132001,
    status: 404,
  },
  {
    case: "a language with a hyphen",
    changes: { template: useTemplate("two_values", [textBody("a", "b")], "en-US") },
    code: 132001,
    status: 404,
  },
  { case: "a template under review", changes: using("pending_one"), code: 132001, status: 404 },
  { case: "a rejected template", changes: using("rejected_one"), code: 132001, status: 404 },
  { case: "a paused template", changes: using("paused_one"), code: 132015, status: 400 },
  { case: "a disabled template", changes: using("disabled_one"), code: 132016, status: 400 },

  {
    case: "too few values",
    changes: using("two_values", textBody("a")),
    code: 132000,
    status: 400,
    details: /\(1\).*\(2\)/,
  },
  {
    case: "too many values",
    changes: using("two_values", textBody("a", "b", "c")),
    code: 132000,
    status: 400,
  },
  {
    case: "no body at all",
    changes: using("two_values"),
    code: 132000,
    status: 400,
    details: /\(0\).*\(2\)/,
  },
  {
    case: "values for a static text",
    changes: using("static_text", textBody("a")),
    code: 132000,
    status: 400,
  },
  {
    case: "two bodies",
    changes: using("two_values", textBody("a", "b"), textBody("a", "b")),
    code: 131009,
    status: 400,
  },
  {
    case: "a footer component",
    changes: using("static_text", { type: "footer", parameters: [] }),
    code: 131009,
    status: 400,
  },
  { case: "an empty value", changes: using("two_values", textBody("a", "")), code: 131008, status: 400 },
  { case: "a blank value", changes: using("two_values", textBody("a", "  ")), code: 131008, status: 400 },
  {
    case: "a value with a line break",
    changes: using("two_values", textBody("a\nb", "c")),
    code: 132018,
    status: 400,
  },
  {
    case: "a value with a tab",
    changes: using("two_values", textBody("a\tb", "c")),
    code: 132018,
    status: 400,
  },
  {
    case: "a value with five spaces",
    changes: using("two_values", textBody("a     b", "c")),
    code: 132018,
    status: 400,
  },
  {
    case: "a filled text over 1024",
    changes: using("two_values", textBody("a", "b".repeat(1010))),
    code: 132005,
    status: 400,
  },
  {
    case: "a picture in the text",
    changes: using("two_values", { type: "body", parameters: [text("a"), image("https://a.test/b.png")] }),
    code: 132012,
    status: 400,
    details: /expected TEXT, received IMAGE/,
  },
  {
    case: "a value that is no text",
    changes: using("two_values", { type: "body", parameters: [text("a"), { type: "text", text: 5 }] }),
    code: 131009,
    status: 400,
  },
  {
    case: "a name in a positional template",
    changes: using("two_values", {
      type: "body",
      parameters: [text("a", { parameter_name: "x" }), text("b")],
    }),
    code: 132012,
    status: 400,
  },
  {
    case: "no names in a named template",
    changes: using("named_values", textBody("a", "b")),
    code: 132012,
    status: 400,
  },
  {
    case: "a wrong name in a named template",
    changes: using("named_values", {
      type: "body",
      parameters: [text("a", { parameter_name: "first_name" }), text("b", { parameter_name: "last_name" })],
    }),
    code: 132012,
    status: 400,
    details: /shop/,
  },

  {
    case: "no picture",
    changes: using("picture"),
    code: 132012,
    status: 400,
    details: /expected IMAGE, received UNKNOWN/,
  },
  {
    case: "no film",
    changes: using("film"),
    code: 132012,
    status: 400,
    details: /expected VIDEO, received UNKNOWN/,
  },
  { case: "no paper", changes: using("paper"), code: 132012, status: 400, details: /expected DOCUMENT/ },
  {
    case: "no location",
    changes: using("location"),
    code: 132012,
    status: 400,
    details: /expected LOCATION/,
  },
  {
    case: "a picture for a paper",
    changes: using("paper", header(image("https://a.test/b.png"))),
    code: 132012,
    status: 400,
    details: /expected DOCUMENT, received IMAGE/,
  },
  {
    case: "a picture over http",
    changes: using("picture", header(image("http://a.test/b.png"))),
    code: 131009,
    status: 400,
    details: /https/,
  },
  {
    case: "a picture without a link",
    changes: using("picture", header({ type: "image", image: {} })),
    code: 131008,
    status: 400,
  },
  {
    case: "a picture that was never uploaded",
    changes: using("picture", header({ type: "image", image: { id: "77" } })),
    code: 131009,
    status: 400,
    details: /uploaded/,
  },
  {
    case: "two pictures",
    changes: using("picture", header(image("https://a.test/b.png"), image("https://a.test/c.png"))),
    code: 132000,
    status: 400,
  },
  { case: "no title value", changes: using("titled"), code: 132000, status: 400, details: /^header/ },
  {
    case: "a title over 60",
    changes: using("titled", header(text("a".repeat(51)))),
    code: 132005,
    status: 400,
  },
  {
    case: "a header the template has not",
    changes: using("two_values", textBody("a", "b"), header(text("x"))),
    code: 132000,
    status: 400,
  },

  {
    case: "no value for the link",
    changes: using("buttons", code("SAVE")),
    code: 131008,
    status: 400,
    details: /index 0 of type Url/,
  },
  {
    case: "an empty value for the link",
    changes: using("buttons", link(""), code("SAVE")),
    code: 131008,
    status: 400,
  },
  {
    case: "a link over 2000",
    changes: using("buttons", link("x".repeat(1980)), code("SAVE")),
    code: 131009,
    status: 400,
    details: /2000/,
  },
  {
    case: "two values for the link",
    changes: using("buttons", button("url", 0, text("a"), text("b")), code("SAVE")),
    code: 132000,
    status: 400,
  },
  {
    case: "a value for the fixed link",
    changes: using("buttons", link("a"), button("url", 1, text("b")), code("SAVE")),
    code: 132000,
    status: 400,
  },
  {
    case: "a button that does not exist",
    changes: using("buttons", link("a"), button("url", 4, text("b")), code("SAVE")),
    code: 131009,
    status: 400,
    details: /index 4/,
  },
  {
    case: "one button twice",
    changes: using("buttons", link("a"), link("b"), code("SAVE")),
    code: 131009,
    status: 400,
    details: /twice/,
  },
  {
    case: "an index of another kind",
    changes: using("buttons", button("url", 2, text("a")), code("SAVE")),
    code: 132012,
    status: 400,
    details: /QUICK_REPLY/,
  },
  {
    case: "an index that is no number",
    changes: using("buttons", button("url", "x", text("a"))),
    code: 131009,
    status: 400,
  },
  {
    case: "an unknown kind of button",
    changes: using("buttons", button("catalog", 0, text("a"))),
    code: 131009,
    status: 400,
  },
  { case: "no code", changes: using("buttons", link("a")), code: 131008, status: 400, details: /CopyCode/ },
  {
    case: "a code over 15",
    changes: using("buttons", link("a"), code("x".repeat(16))),
    code: 131009,
    status: 400,
  },
  {
    case: "a text as payload",
    changes: using("buttons", link("a"), code("SAVE"), button("quick_reply", 2, text("x"))),
    code: 132012,
    status: 400,
  },
  {
    case: "a payload over 256",
    changes: using(
      "buttons",
      link("a"),
      code("SAVE"),
      button("quick_reply", 2, { type: "payload", payload: "x".repeat(257) }),
    ),
    code: 131009,
    status: 400,
  },
];

for (const { case: what, changes, options, path, code, status, details, subcode } of REFUSALS) {
  Deno.test(`POST /messages refuses ${what} with ${code}`, () =>
    withPlatform(async ({ call, control }) => {
      const answer = await call("POST", path ?? `/v25.0/${NUMBER_ID}/messages`, {
        body: sendBody(changes),
        ...options,
      });

      const { error } = answer.body;
      assert.equal(error.code, code, JSON.stringify(error));
      assert.equal(answer.status, status);
      assert.equal(error.error_subcode, subcode);
      assert.match(error.fbtrace_id, /^A\w+$/);
      if (details !== undefined) assert.match(error.error_data.details, details);
      if (code > 1000) {
        assert.match(error.message, new RegExp(`^\\(#${code}\\) \\w`));
        assert.equal(error.type, "OAuthException");
        assert.equal(error.error_data.messaging_product, "whatsapp");
      }
      const stats = (await control("GET", "stats")).body;
      assert.deepEqual([stats.accepted, stats.refused], [0, { [code]: 1 }]);
    }));
}

Deno.test("POST /messages leaves error_data out of token errors", () =>
  withPlatform(async ({ send }) => {
    const { body } = await send({}, { token: "wrong" });

    assert.equal("error_data" in body.error, false);
  }));
