import assert from "node:assert/strict";
import type { JsonObject } from "../setup/http/http.ts";
import { withServices } from "../setup/stack/services.ts";
import {
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  messageId,
  report,
  type SendingCompany,
} from "../setup/fixtures/queue.ts";
import { insertWebhook, readEvents } from "../setup/fixtures/webhooks.ts";
import { ANA, messagesOf, postChange, receive, secondsAgo, suppressionsOf } from "./inbound.ts";

const BOTH = { wa_id: ANA.number, user_id: ANA.user_id };
const button = (payload: string, text = payload) => ({ type: "button", button: { payload, text } });

const OPT_OUTS: [why: string, message: JsonObject | string, source: string, confirmation: RegExp][] = [
  ["STOP", "¡STOP!", "keyword", /START/],
  ["a Spanish word", "Dar de baja", "keyword", /ALTA/],
  ["a reserved payload", button("STOP_PROMOTIONS", "Detener promociones"), "button", /ALTA/],
  ["a label", button("anything", "Stop promotions"), "button", /START/],
  [
    "a pressed reply button",
    {
      type: "interactive",
      interactive: { type: "button_reply", button_reply: { id: "OPT_OUT", title: "Bye" } },
    },
    "button",
    /START/,
  ],
];

for (const [why, message, source, confirmation] of OPT_OUTS) {
  Deno.test(`an opt-out by ${why} suppresses marketing under both addresses, and is confirmed once`, () =>
    withServices(async (t) => {
      const company = await insertSendingCompany(t.sql);
      await insertWebhook(t.sql, company.id, { event_types: ["contact.opted_out"] });

      await receive(t, company.sender, message, BOTH);
      await receive(t, company.sender, message, BOTH);

      assert.deepEqual(await suppressionsOf(t.sql, company.id), [
        `${ANA.number} any marketing ${source}`,
        `${ANA.user_id} any marketing ${source}`,
      ]);
      const out = (await messagesOf(t.sql, company.id)).filter(({ direction }) => direction === "out");
      assert.equal(out.length, 1);
      assert.match(out[0]!.text, confirmation);
      assert.deepEqual([out[0]!.purpose, out[0]!.status, out[0]!.number], [
        "opt_out_confirmation",
        "queued",
        ANA.number,
      ]);
      assert.equal((await readEvents(t.sql, company.id)).length, 1);
    }));
}

for (const text of ["never stop sending", "Stop it at 5", "Cancel my order", "ok"]) {
  Deno.test(`'${text}' is no opt-out`, () =>
    withServices(async (t) => {
      const company = await insertSendingCompany(t.sql);

      await receive(t, company.sender, text);
      await receive(t, company.sender, { type: "image", image: { id: "1", caption: "STOP" } });

      assert.deepEqual(await suppressionsOf(t.sql, company.id), []);
    }));
}

const SHARED: [why: string, repliesToOther: boolean, ownText: string | null, confirms: "first" | "other"][] =
  [
    ["the first by id", false, null, "first"],
    ["the one whose message it replies to", true, null, "other"],
    ["the other where the first confirms nothing", false, "", "other"],
  ];

for (const [why, repliesToOther, ownText, confirms] of SHARED) {
  Deno.test(`an opt-out from several companies with one number counts for all, and is confirmed by ${why}`, () =>
    withServices(async (t) => {
      const companies = [await insertSendingCompany(t.sql), await insertSendingCompany(t.sql)];
      const [first, other] = companies.sort((a, b) => a.id < b.id ? -1 : 1) as [
        SendingCompany,
        SendingCompany,
      ];
      const { platform_id, waba_id } = first.sender;
      await t.sql`update outbound.senders set platform_id = ${platform_id}, waba_id = ${waba_id}`;
      const { ids } = await enqueue(t.sql, other);
      await finish(t.sql, await claim(t.sql), { outcome: "sent" });
      await t.sql`insert into outbound.contact_rules (company_id, opt_out_confirmation)
        values (${first.id}, ${ownText})`;

      const context = repliesToOther && { context: { id: messageId(ids[0]!) } };
      await receive(t, first.sender, { text: { body: "STOP" }, ...context });

      for (const { id } of companies) {
        assert.deepEqual(await suppressionsOf(t.sql, id), [`${ANA.number} any marketing keyword`]);
      }
      const confirmations = await t.sql`
        select company_id from outbound.contact_messages where purpose = 'opt_out_confirmation'`;
      assert.deepEqual(confirmations.map(({ company_id }) => company_id), [{ first, other }[confirms].id]);
    }));
}

Deno.test("a second way of opting out is kept as evidence and not confirmed again", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);

    await receive(t, company.sender, "STOP");
    await receive(t, company.sender, button("OPT_OUT"));

    assert.equal((await suppressionsOf(t.sql, company.id)).length, 2);
    assert.equal(
      (await messagesOf(t.sql, company.id)).filter(({ direction }) => direction === "out").length,
      1,
    );
  }));

const RULES: [
  why: string,
  rules: JsonObject,
  text: string,
  suppressed: boolean,
  confirmation: string | null | RegExp,
][] = [
  ["a company's own word", { opt_out_words: ["no mas ofertas"] }, "¡No más ofertas!", true, /START/],
  ["a default word that is switched off", { use_default_words: false }, "STOP", false, null],
  ["an own word that is an opt-in elsewhere", { opt_out_words: ["start"] }, "START", true, /START/],
  ["a company's own confirmation", { opt_out_confirmation: "Bye." }, "STOP", true, "Bye."],
  ["no confirmation", { opt_out_confirmation: "" }, "STOP", true, null],
];

for (const [why, rules, text, suppressed, confirmation] of RULES) {
  Deno.test(`an opt-out by the rules of a company: ${why}`, () =>
    withServices(async (t) => {
      const company = await insertSendingCompany(t.sql);
      await t.sql`insert into outbound.contact_rules ${t.sql({ company_id: company.id, ...rules })}`;

      await receive(t, company.sender, text);

      assert.equal((await suppressionsOf(t.sql, company.id)).length, suppressed ? 1 : 0);
      const out = (await messagesOf(t.sql, company.id)).filter(({ direction }) => direction === "out");
      assert.equal(out.length, confirmation === null ? 0 : 1);
      if (confirmation instanceof RegExp) assert.match(out[0]!.text, confirmation);
      if (typeof confirmation === "string") assert.equal(out[0]!.text, confirmation);
    }));
}

Deno.test("an opt-out leaves calls alone where the company has it so; recorded ones keep their channel", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    let ago = 60;
    const receiveAs = async (stopsCalls: boolean, text: string) => {
      await t.sql`insert into outbound.contact_rules ${
        t.sql({ company_id: company.id, opt_out_stops_calls: stopsCalls })
      } on conflict (company_id) do update set opt_out_stops_calls = excluded.opt_out_stops_calls`;
      await receive(t, company.sender, { text: { body: text }, timestamp: secondsAgo(ago -= 10) });
      return await suppressionsOf(t.sql, company.id);
    };
    const [onWhatsapp, onAny] = ["whatsapp", "any"].map((channel) =>
      `${ANA.number} ${channel} marketing keyword`
    );

    assert.deepEqual(await receiveAs(false, "STOP"), [onWhatsapp]);
    assert.deepEqual(await receiveAs(false, "STOP"), [onWhatsapp]);
    assert.deepEqual(await receiveAs(false, "START"), [`${onWhatsapp} lifted`]);
    assert.deepEqual((await receiveAs(true, "STOP")).sort(), [onAny, `${onWhatsapp} lifted`].sort());
    assert.ok((await receiveAs(false, "Where is my order?")).includes(onAny!));
    const confirmations = (await messagesOf(t.sql, company.id)).filter(({ direction }) =>
      direction === "out"
    );
    assert.equal(confirmations.length, 2);
  }));

Deno.test("a confirmation is in the language of the message that it replies to, if the word is in it", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { ids } = await enqueue(t.sql, company);
    await finish(t.sql, await claim(t.sql), { outcome: "sent" });
    await t.sql`update outbound.campaigns set template_language = 'pl_PL'`;

    await receive(t, company.sender, { context: { id: messageId(ids[0]!) }, text: { body: "stop" } });

    const [out] = (await messagesOf(t.sql, company.id)).filter(({ direction }) => direction === "out");
    assert.match(out!.text, /promocji/);
  }));

Deno.test("an opt-in word lifts the person's own opt-out and is a consent; the platform's stays", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await insertWebhook(t.sql, company.id, { event_types: ["contact.opted_in"] });
    await receive(t, company.sender, { text: { body: "STOP" }, timestamp: secondsAgo(60) }, BOTH);
    await prefer(t, company.sender, "stop", secondsAgo(50));

    await receive(t, company.sender, "Start!", BOTH);

    assert.deepEqual(await suppressionsOf(t.sql, company.id), [
      `${ANA.number} any marketing keyword lifted`,
      `${ANA.number} whatsapp marketing platform`,
      `${ANA.user_id} any marketing keyword lifted`,
      `${ANA.user_id} whatsapp marketing platform`,
    ]);
    const consents = await t
      .sql`select address, status, method, source from outbound.consents order by address`;
    assert.deepEqual([...consents].map(({ status, method, source }) => [status, method, source]), [
      ["granted", "message", "keyword"],
      ["granted", "message", "keyword"],
    ]);
    assert.equal((await readEvents(t.sql, company.id)).length, 1);
  }));

type Post = Parameters<typeof postChange>;

async function prefer(
  t: Post[0],
  sender: Post[1],
  value: string,
  at: string,
  who: JsonObject = BOTH,
): Promise<void> {
  const preference = {
    ...who,
    category: "marketing_messages",
    detail: "User asked",
    value,
    timestamp: Number(at),
  };
  await postChange(t, sender, { user_preferences: [preference] }, "user_preferences");
}

Deno.test("what a person chooses at the platform is mirrored, and repeated events change nothing", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const seen: string[][] = [];
    const steps: [value: string, secondsAgo: number][] = [
      ["stop", 60],
      ["stop", 60],
      ["resume", 30],
      ["stop", 60],
      ["stop", 10],
      ["resume", 30],
    ];

    for (const [value, seconds] of steps) {
      await prefer(t, company.sender, value, secondsAgo(seconds), { wa_id: ANA.number });
      seen.push(
        (await suppressionsOf(t.sql, company.id)).map((line) =>
          line.replace(`${ANA.number} whatsapp marketing `, "")
        ),
      );
    }

    const lifted = "platform lifted";
    assert.deepEqual(seen, [["platform"], ["platform"], [lifted], [lifted], [lifted, "platform"], [
      lifted,
      "platform",
    ]]);
  }));

Deno.test("a person's own opt-out stays when the platform's is lifted; a sign-up is a consent for WhatsApp", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await receive(t, company.sender, { text: { body: "STOP" }, timestamp: secondsAgo(60) });

    await prefer(t, company.sender, "signup", secondsAgo(0), { wa_id: ANA.number });

    assert.deepEqual(await suppressionsOf(t.sql, company.id), [
      `${ANA.number} any marketing keyword`,
      // Remembers when, for a choice of an earlier time that arrives late.
      `${ANA.number} whatsapp marketing platform lifted`,
    ]);
    const [consent] = await t.sql`select channel, method, source from outbound.consents`;
    assert.deepEqual(consent, { channel: "whatsapp", method: "in_app_signup", source: "platform" });
  }));

for (const code of ["131050", "131049"]) {
  Deno.test(`a message that failed with ${code} keeps marketing from its recipient, under both addresses`, () =>
    withServices(async (t) => {
      const company = await insertSendingCompany(t.sql);
      const { ids } = await enqueue(t.sql, company, { type: "marketing" });
      await finish(t.sql, await claim(t.sql), { outcome: "sent" });
      const [{ number }] = await t.sql`select number from outbound.notifications` as unknown as [
        { number: string },
      ];
      await t.sql`insert into outbound.user_ids ${
        t.sql({ company_id: company.id, user_id: "BO.1", number })
      }`;
      const at = new Date(Date.now() - 60_000).toISOString();

      await report(t.sql, [eventOf(company.id, ids[0]!, "failed", { error_code: code, occurred_at: at })]);

      const cooldowns = await t.sql`
        select address, extract(epoch from until - ${at}::timestamptz)::int as seconds from outbound.marketing_cooldowns
        order by address`;
      const suppressed = await suppressionsOf(t.sql, company.id);
      assert.deepEqual(
        suppressed,
        code === "131049" ? [] : [
          `${number} whatsapp marketing platform`,
          "BO.1 whatsapp marketing platform",
        ],
      );
      assert.deepEqual(
        [...cooldowns],
        code === "131050" ? [] : [
          { address: number, seconds: 86_400 },
          { address: "BO.1", seconds: 86_400 },
        ],
      );
    }));
}

Deno.test("a failure that the platform reports after the person allowed marketing again changes nothing", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { ids } = await enqueue(t.sql, company, { type: "marketing" });
    await finish(t.sql, await claim(t.sql), { outcome: "sent" });
    const [{ number }] = await t.sql`select number from outbound.notifications` as unknown as [
      { number: string },
    ];
    await prefer(t, company.sender, "stop", secondsAgo(90), { wa_id: number });
    await prefer(t, company.sender, "resume", secondsAgo(30), { wa_id: number });

    const at = new Date(Date.now() - 60_000).toISOString();
    await report(t.sql, [eventOf(company.id, ids[0]!, "failed", { error_code: "131050", occurred_at: at })]);

    assert.deepEqual(await suppressionsOf(t.sql, company.id), [
      `${number} whatsapp marketing platform lifted`,
    ]);
  }));
