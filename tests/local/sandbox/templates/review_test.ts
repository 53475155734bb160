import assert from "node:assert/strict";
import { eventually } from "../../../setup/eventually.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import { withTempFolder } from "../../../setup/temp_folder.ts";
import { type TestPlatform, WABA_ID, withHooks, withPlatform } from "../with_platform.ts";

const LIST = `/v25.0/${WABA_ID}/message_templates`;

interface Submission {
  name?: string;
  category?: string;
  body?: string;
  url?: string;
}

/** Submits a template; returns its id. */
async function submit(
  { call }: TestPlatform,
  { name = "in_review", category = "UTILITY", body = "A text to be looked at.", url }: Submission = {},
): Promise<string> {
  const buttons = url === undefined
    ? []
    : [{ type: "BUTTONS", buttons: [{ type: "URL", text: "See more", url }] }];
  const answer = await call("POST", LIST, {
    body: { name, language: "en_US", category, components: [{ type: "BODY", text: body }, ...buttons] },
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.id;
}

async function review({ control }: TestPlatform, id: string): Promise<JsonObject> {
  return (await control("POST", `templates/${id}/review`, {})).body;
}

async function statusOf({ call }: TestPlatform, id: string): Promise<JsonObject> {
  const { status, rejected_reason } = (await call("GET", `/${id}?fields=status,rejected_reason`)).body;
  return { status, rejected_reason };
}

const VERDICTS: [what: string, submission: Submission, reason: string | undefined][] = [
  ["a plain template", {}, undefined],
  [
    "an advertisement that says so",
    { category: "MARKETING", body: "A discount of 10% off for you." },
    undefined,
  ],
  ["an advertisement as UTILITY", { body: "A discount of 10% off for you." }, "TAG_CONTENT_MISMATCH"],
  ["one in Spanish", { body: "Aprovecha nuestra oferta hoy mismo." }, "TAG_CONTENT_MISMATCH"],
  ["a brace that is no variable", { body: "Your order {1} is on its way." }, "INVALID_FORMAT"],
  ["a shortened address", { url: "https://bit.ly/3abc" }, "SCAM"],
  ["a question for a card number", { body: "Please send us your card number today." }, "ABUSIVE_CONTENT"],
];

Deno.test("POST /sandbox/templates/{id}/review judges by the same rules each time", () =>
  withPlatform(async (platform) => {
    for (const [index, [what, submission, reason]] of VERDICTS.entries()) {
      const id = await submit(platform, {
        ...submission,
        name: `template_${index}`,
        body: `${submission.body ?? "A text."} Number ${index}.`,
      });
      const judged = await review(platform, id);

      const expected = reason === undefined ? ["APPROVED", undefined] : ["REJECTED", reason];
      assert.deepEqual([judged.status, judged.rejected_reason], expected, what);
      assert.deepEqual(await review(platform, id), judged, "a review that is over changes nothing");
    }
    assert.equal((await platform.control("POST", "templates/1/review", {})).status, 404);
    assert.equal((await platform.control("POST", "templates/1/review")).status, 415);
  }));

Deno.test("settings: review_ms is when a submitted template is reviewed, and it is reported by webhook", () =>
  withPlatform(async (platform) => {
    const byHand = await submit(platform, { name: "by_hand", body: "An operator looks at this." });
    await platform.control("PUT", "settings", { review_ms: 0 });

    const bad = await submit(platform, { body: "Your order {1} is on its way." });

    await eventually(async () =>
      assert.deepEqual(await statusOf(platform, bad), {
        status: "REJECTED",
        rejected_reason: "INVALID_FORMAT",
      })
    );
    await eventually(() => {
      // deno-lint-ignore no-explicit-any -- the webhook as it came
      const values = platform.hooks.received.map(({ body }) => (body.entry as any)[0].changes[0].value);
      assert.deepEqual(
        values.map(({ event, reason, message_template_name }) => [event, reason, message_template_name]),
        [["REJECTED", "INVALID_FORMAT", "in_review"]],
      );
    });
    assert.equal((await statusOf(platform, byHand)).status, "PENDING");
  }));

Deno.test("a template with a manual verdict is not reviewed again when it is due", () =>
  withPlatform(async (platform) => {
    await platform.control("PUT", "settings", { review_ms: 100 });
    const judged = await submit(platform);
    await platform.control("PUT", `templates/${judged}`, { status: "REJECTED", reason: "PROMOTIONAL" });
    const later = await submit(platform, { name: "later", body: "Judged after the other." });

    await eventually(async () => assert.equal((await statusOf(platform, later)).status, "APPROVED"));

    assert.equal((await statusOf(platform, judged)).status, "REJECTED");
  }));

Deno.test("journal: a review under way goes on after a restart, a manual one still waits", () =>
  withTempFolder((directory) =>
    withHooks(async (hooks) => {
      const ids: string[] = [];
      await withPlatform(async (platform) => {
        ids.push(await submit(platform, { name: "by_hand", body: "An operator looks at this." }));
        await platform.control("PUT", "settings", { review_ms: 400 });
        ids.push(await submit(platform));
      }, { directory, hooks });

      await withPlatform(async (platform) => {
        const [byHand, timed] = ids as [string, string];
        await eventually(async () => assert.equal((await statusOf(platform, timed)).status, "APPROVED"));
        assert.equal((await statusOf(platform, byHand)).status, "PENDING");
        await eventually(() => assert.equal(hooks.received.length, 1));
      }, { directory, hooks });
    })
  ));
