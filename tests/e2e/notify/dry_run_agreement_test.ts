import assert from "node:assert/strict";
import fc from "fast-check";
import type postgres from "postgres";
import { consent, setConsentPolicy, suppress } from "../../setup/fixtures/contacts.ts";
import {
  insertCompany,
  insertKey,
  insertSender,
  insertTemplate,
  ORDER_COMPONENTS,
} from "../../setup/fixtures/fixtures.ts";
import type { JsonObject, TestAnswer, TestHttp } from "../../setup/http/http.ts";
import { withServices } from "../../setup/stack/services.ts";

// Whatever a dry run accepts, a live request accepts, with the same recipients, and the other way round.

const REQUESTS = 2000;
/** Requests that are made side by side, which saves waiting. */
const AT_A_TIME = 16;

const SENDER = "34911222333";
const OPTED_OUT = "34600000001";
const NEVER_WANTED = "34600000002";
const AGREED = "34600000003";
const ERASED = "34600000004";
const USER_ID = "ES.1349aBc";
const OPTED_OUT_ID = "MX.1350";

const MEDIA_COMPONENTS = [
  { type: "HEADER", format: "IMAGE" },
  { type: "BODY", text: "Hello {{1}}" },
  { type: "FOOTER", text: "Bye" },
  { type: "BUTTONS", buttons: [{ type: "URL", text: "See", url: "https://shop.example/{{1}}" }] },
];

/** The templates of every company, with the values each needs. */
const TEMPLATES: Record<
  string,
  { category: string; status?: string; components: unknown[]; needs: string[] }
> = {
  order: { category: "UTILITY", components: ORDER_COMPONENTS, needs: ["body_text_0", "body_text_1"] },
  sale: {
    category: "MARKETING",
    components: MEDIA_COMPONENTS,
    needs: ["header_image", "body_text_0", "buttons_url_0"],
  },
  plain: { category: "UTILITY", components: [{ type: "BODY", text: "Come in." }], needs: [] },
  code: {
    category: "AUTHENTICATION",
    components: [{ type: "BODY", text: "Code {{1}}" }],
    needs: ["body_text_0"],
  },
  waiting: { category: "UTILITY", status: "pending", components: ORDER_COMPONENTS, needs: [] },
};

interface Company {
  key: string;
}

/** Companies with each policy; the last has sending hours and caps besides. */
async function insertCompanies(sql: postgres.Sql, http: TestHttp): Promise<Company[]> {
  const companies: Company[] = [];
  for (const policy of ["off", "warn", "require", "off"] as const) {
    const { id } = await insertCompany(sql);
    const { key } = await insertKey(sql, id, { rate_limit: 1_000_000, daily_quota: 10_000_000 });
    const sender = await insertSender(sql, id, { number: SENDER });
    for (const [name, { category, status = "approved", components }] of Object.entries(TEMPLATES)) {
      await insertTemplate(sql, sender, {
        ...{ name, category, status, language: "en" },
        components: components as postgres.JSONValue[],
      });
    }
    await suppress(sql, id, { number: OPTED_OUT });
    await suppress(sql, id, { user_id: OPTED_OUT_ID });
    await suppress(sql, id, { number: NEVER_WANTED, category: "all" });
    await consent(sql, id, { number: AGREED });
    await consent(sql, id, { user_id: USER_ID });
    await setConsentPolicy(sql, id, policy);
    await http.post("/manage/companies/mine/contacts/erase", { number: ERASED }, {
      query: { access_key: key },
    });
    companies.push({ key });
    if (companies.length === 4) {
      const windows = Object.fromEntries(["mon", "tue"].map((day) => [day, [["10:00", "10:01"]]]));
      const hours = [{ channel: "any", category: "marketing", zone: "recipient", windows, holidays: null }];
      await sql`update outbound.contact_rules set sending_hours = ${sql.json(hours)},
        frequency_caps = ${sql.json([{ channel: "any", max: 1, days: 1 }])} where company_id = ${id}`;
    }
  }
  return companies;
}

/** One of the good values, and now and then one of the bad. */
function mostly<Value>(good: Value[], bad: Value[], weight = 25): fc.Arbitrary<Value> {
  return fc.oneof({ weight, arbitrary: fc.constantFrom(...good) }, {
    weight: 1,
    arbitrary: fc.constantFrom(...bad),
  });
}

const OTHERS = ["34600111222", "34600111333", "5215512345678", "12025550123"];
const address: fc.Arbitrary<JsonObject> = mostly<string | null>(
  [...OTHERS, ...OTHERS, OPTED_OUT, NEVER_WANTED, AGREED, AGREED, ERASED],
  ["+34600111222", "0600", "", "600111222", null],
  12,
).map((number) => ({ number }));
const byUserId = mostly<JsonObject>(
  [{ user_id: USER_ID }, { user_id: OPTED_OUT_ID }, { user_id: USER_ID, number: OPTED_OUT }],
  [{ user_id: "es.1" }, {}],
  5,
);
const own = fc.record({
  name: mostly<string | null>(["Ana", "Luis"], ["", null]),
  code: mostly(["A-1", "https://shop.example/a", "{{name}}"], ["x".repeat(1024), "x".repeat(1025)]),
  picture: mostly(
    ["https://cdn.example/a.jpg"],
    ["https://cdn.example/a.pdf", "http://cdn.example/a.jpg"],
    8,
  ),
});
const misspelled = mostly<JsonObject>([{}], [{ nmae: "Ana" }], 9);
const contact = fc.tuple(
  fc.oneof({ weight: 8, arbitrary: address }, { weight: 2, arbitrary: byUserId }),
  own,
  misspelled,
)
  .map((parts): JsonObject => Object.assign({}, ...parts));

const textValue = mostly(
  ["{{name}}", "{{code}}", "{{shop}}", "A-17", "Ana"],
  ["{1}", "{{1}}", "Hi {{name}}", "", "{{nothing}}"],
  15,
);
const pictureValue = mostly(["{{picture}}", "https://cdn.example/b.png"], ["https://localhost/b.png"]);
const extra = mostly<JsonObject>([{}], [{ body_text_7: "x" }, { header_video: "x" }]);

/** A template with values for it. */
const content = mostly(["order", "sale", "plain", "code"], ["waiting", "odrer"]).chain((name) =>
  fc.tuple(
    fc.constant(name),
    fc.record(
      Object.fromEntries((TEMPLATES[name]?.needs ?? []).map((need) => [
        need,
        need.startsWith("header_") ? pictureValue : textValue,
      ])),
    ),
    extra,
  )
).map(([name_template, values, more]) => ({ name_template, components_push: { ...values, ...more } }));

const fields = fc.record({
  language_template: mostly(["en"], ["fr"]),
  notification_type: mostly(["marketing", "utility", "transactional"], ["news"]),
  recipient_id: mostly([SENDER], ["other"]),
  campaign_name: mostly(["Campaign"], [""]),
  datetime_sending: mostly([undefined, "2099-01-31T09:00:00"], ["2001-01-01T00:00:00", "tomorrow"]),
  timezone: mostly([undefined, "Europe/Madrid"], ["Mars/Olympus"]),
  shop: mostly<unknown>(["Shop", 7], [undefined]),
  datetime_sendng: mostly<string | undefined>([undefined], ["2099-01-31T09:00:00"]),
});

interface Generated {
  company: number;
  body: JsonObject;
  flat: boolean;
}

const noRecipients: fc.Arbitrary<JsonObject> = fc.constantFrom({}, { contacts: [] }, { contacts: {} }, {
  contact: [],
});
const recipients = fc.oneof(
  { weight: 12, arbitrary: contact.map((one): JsonObject => ({ contact: one })) },
  {
    weight: 12,
    arbitrary: fc.array(contact, { minLength: 1, maxLength: 8 }).map((many): JsonObject => ({
      contacts: many,
    })),
  },
  { weight: 1, arbitrary: noRecipients },
);
const generated: fc.Arbitrary<Generated> = fc.tuple(fc.nat(3), content, fields, recipients, fc.boolean()).map(
  ([company, template, rest, people, flat]) => ({
    company,
    flat: flat && !Array.isArray(people.contact) && people.contact !== undefined,
    body: JSON.parse(JSON.stringify({ ...rest, ...template, ...people })),
  }),
);

Deno.test("POST /notify and its dry run agree on whatever is sent", () =>
  withServices(async ({ http, sql }) => {
    const companies = await insertCompanies(sql, http);
    const seen = { accepted: 0, refused: 0, verdicts: new Map<string, number>() };

    async function assertAgreement({ company, body, flat }: Generated): Promise<void> {
      const query = { access_key: companies[company]!.key, ...(flat && { unflatten: "true" }) };
      const sent = flat ? flattened(body) : body;
      const dry = await http.post("/notify", sent, { query: { ...query, dry_run: "true" } });
      const live = await http.post("/notify", sent, { query: { ...query, details: "true" } });
      await assertSame(sql, dry, live);
      if (live.status === 200) seen.accepted++;
      else seen.refused++;
      for (const { status } of dry.body.recipients ?? []) {
        seen.verdicts.set(status, (seen.verdicts.get(status) ?? 0) + 1);
      }
    }

    await fc.assert(
      fc.asyncProperty(
        fc.array(generated, { minLength: AT_A_TIME, maxLength: AT_A_TIME }),
        async (requests) => void await Promise.all(requests.map(assertAgreement)),
      ),
      { numRuns: REQUESTS / AT_A_TIME },
    );

    assert.ok(seen.accepted > REQUESTS / 10 && seen.refused > REQUESTS / 10, JSON.stringify(seen));
    for (const status of ["ok", "invalid", "skipped", "held", "duplicate"]) {
      assert.ok((seen.verdicts.get(status) ?? 0) > 20, `${status}: ${JSON.stringify([...seen.verdicts])}`);
    }
  }));

async function assertSame(
  sql: postgres.Sql,
  dry: TestAnswer<JsonObject>,
  live: TestAnswer<JsonObject>,
): Promise<void> {
  if (dry.status !== 200) {
    assert.deepEqual([dry.status, refusal(dry.body)], [live.status, refusal(live.body)]);
    return;
  }
  const { recipients } = dry.body as { recipients: JsonObject[] };
  if (live.status === 422) {
    // A single recipient's wish is a verdict of the dry run.
    assert.deepEqual(recipients.map(({ status, code }) => [status, code]), [["skipped", live.body.error]]);
    return;
  }
  assert.equal(live.status, 200, JSON.stringify(live.body));
  const isAccepted = ({ status, code }: JsonObject) =>
    ["ok", "held", "duplicate"].includes(status) || code === "frequency_cap";
  const stored = await sql`
    select number, user_id from outbound.notifications where campaign_id = ${live.body.inquiry_set_id} order by id`;
  assert.deepEqual(
    recipients.filter(isAccepted).map(({ number, user_id }) => ({ number, user_id })),
    stored.map((row) => ({ ...row })),
  );
  const failures = (live.body.errors ?? []) as JsonObject[];
  assert.deepEqual(
    recipients.filter((recipient) => !isAccepted(recipient)).map(({ index, code, reason }) => ({
      index,
      code,
      reason,
    })),
    failures.map(({ index, code, reason }) => ({ index, code, reason })),
  );
  assert.deepEqual(dry.body.warnings, live.body.warnings);
  for (const { status, scheduled_time } of recipients) {
    if (status === "ok") assert.equal(scheduled_time, live.body.scheduled_time ?? null);
  }
}

function refusal({ error, message, details }: JsonObject): JsonObject {
  return { error, message, details };
}

function flattened(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      name === "contact" || name === "components_push"
        ? Object.entries(value).map(([inner, own]) => [`${name}.${inner}`, own])
        : [[name, value]]
    ),
  );
}
