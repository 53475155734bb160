import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import { suppress } from "../../setup/fixtures/contacts.ts";
import { insertCompany, insertMember } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { csvOf, numberOf, withUploads } from "./with_uploads.ts";

/** A hundred thousand, the most that a file may have, take half a minute. */
const MANY = Number(Deno.env.get("TEST_UPLOAD_ROWS") ?? "10000");

Deno.test("a file becomes one campaign that is closed, with values and metadata of its columns", () =>
  withUploads(async (t) => {
    const id = await t.create({
      columns: {
        number: "Phone",
        name: "First name",
        body_text_1: "Order",
        "metadata.order": "Order",
      },
      metadata: { source: "shop" },
      file_name: "june.csv",
    });

    const { status, body } = await t.send(id, csvOf(250));

    assert.equal(status, 200);
    assert.deepEqual([body.state, body.rows, body.accepted, body.refused, body.problems], [
      "completed",
      250,
      250,
      0,
      [],
    ]);
    assert.deepEqual([body.file_name, body.list_name], ["june.csv", null]);
    const campaign = (await t.ask("GET", `/campaigns/${body.campaign_id}`)).body;
    assert.deepEqual([campaign.total, campaign.pending, campaign.open_until, campaign.campaign_name], [
      250,
      250,
      null,
      "Orders",
    ]);
    const stored = await t.stored();
    assert.deepEqual(
      stored.map(({ number }) => number),
      Array.from({ length: 250 }, (_, i) => numberOf(i + 1)),
    );
    assert.deepEqual(new Set(stored.map(({ campaign_id }) => campaign_id)), new Set([body.campaign_id]));
    const texts = stored[6]!.message[0]!.parameters.map(({ text }: JsonObject) => text);
    assert.deepEqual([texts, stored[6]!.metadata], [["Ana 7", "A-7"], { source: "shop", order: "A-7" }]);
  }));

Deno.test("columns that are kept as metadata come back in the file of recipients, by any name and without line breaks", () =>
  withUploads(async (t) => {
    const columns = {
      ...{ number: "Phone", name: "First name", body_text_1: "Order" },
      ...{ "metadata.Price (EUR)": "Price (EUR)", "metadata.__proto__": "Order" },
    };
    const id = await t.create({ columns });
    const file = "Phone,First name,Order,Price (EUR)\r\n" +
      `${numberOf(1)},Ana,A-1,"12.50\nto pay"\r\n${numberOf(2)},Luis,=A2,\r\n`;
    const { body: { campaign_id: campaignId, accepted } } = await t.send(id, file);

    const query = { format: "csv" };
    const { body } = await t.ask("GET", `/campaigns/${campaignId}/recipients`, undefined, query);

    assert.equal(accepted, 2);
    const lines = String(body).trimEnd().split("\r\n");
    assert.deepEqual(lines.map((line) => line.split(",").slice(-2)), [
      ["metadata.Price (EUR)", "metadata.__proto__"],
      ["12.50 to pay", "A-1"],
      ["", "'=A2"],
    ]);
  }));

Deno.test("a row that does not fit is refused by itself, with row, line, column, code and reason", () =>
  withUploads(async (t) => {
    await suppress(t.sql, t.sending.id, { number: numberOf(5), category: "all" });
    const id = await t.create();
    const lines: Record<number, string> = {
      2: '"+34 600-000.002","Ana\nMaría",A-2',
      3: "12,Ana,A-3",
      4: `${numberOf(4)},,A-4`,
      6: `${numberOf(6)},Ana`,
      7: `${numberOf(1)},Ana,A-7`,
      8: ",Ana,A-8",
      9: `${numberOf(9)},Ana\0,A-9`,
      120: `${numberOf(2)},Ana,A-120`,
    };

    const { body } = await t.send(id, csvOf(130, (row) => lines[row]));

    assert.deepEqual(
      body.problems.map(({ row, line, column, code }: JsonObject) => [row, line, column, code]),
      [
        [3, 5, "Phone", "number_is_invalid"],
        [4, 6, "First name", "cell_is_empty"],
        [5, 7, null, "recipient_opted_out"],
        [6, 8, null, "row_length"],
        [7, 9, "Phone", "duplicate_recipient"],
        [8, 10, "Phone", "number_is_missing"],
        [9, 11, "First name", "cell_is_invalid"],
        [120, 122, "Phone", "duplicate_recipient"],
      ],
    );
    assert.deepEqual([body.rows, body.accepted, body.refused], [130, 122, 8]);
    assert.deepEqual(
      body.refused_by_code.map(({ code, count }: JsonObject) => [code, count]),
      [
        ["duplicate_recipient", 2],
        ...["cell_is_empty", "cell_is_invalid", "number_is_invalid", "number_is_missing"].map((
          code,
        ) => [code, 1]),
        ["recipient_opted_out", 1],
        ["row_length", 1],
      ],
    );
    assert.match(body.problems[7].reason, /row 2$/);
    assert.equal((await t.stored()).length, 122);
    assert.ok(!JSON.stringify(body.problems).includes("34600"), "names no recipient");
    assert.deepEqual((await t.ask("GET", `/uploads/${id}`)).body, body);
  }));

Deno.test("a dry run says what would become of the rows, and stores nothing", () =>
  withUploads(async (t) => {
    await suppress(t.sql, t.sending.id, { number: numberOf(5), category: "all" });
    const id = await t.create();
    const file = csvOf(230, (row) => ({ 3: "12,Ana,A-3", 7: `${numberOf(1)},Ana,A-7` })[row]);

    const { status, body } = await t.dryRun(id, file);

    assert.equal(status, 200);
    const { rows, accepted, refused, ok, invalid, skipped, held, duplicate } = body;
    assert.deepEqual({ rows, accepted, refused, ok, invalid, skipped, held, duplicate }, {
      ...{ rows: 230, accepted: 227, refused: 3 },
      ...{ ok: 227, invalid: 1, skipped: 1, held: 0, duplicate: 1 },
    });
    assert.deepEqual(
      body.problems.map(({ row, column, status, recipient }: JsonObject) => [row, column, status, recipient]),
      [
        [3, "Phone", "invalid", "12"],
        [5, null, "skipped", numberOf(5)],
        [7, "Phone", "duplicate", numberOf(1)],
      ],
    );
    assert.deepEqual(body.countries, [{ country: "ES", count: 227, is_new: false }]);
    assert.deepEqual(body.samples.map(({ row, rendered }: JsonObject) => [row, rendered.body]), [
      [1, "Hello Ana 1, your order A-1 is ready."],
      [2, "Hello Ana 2, your order A-2 is ready."],
      [4, "Hello Ana 4, your order A-4 is ready."],
    ]);
    assert.equal((await t.stored()).length, 0);
    const upload = (await t.ask("GET", `/uploads/${id}`)).body;
    assert.deepEqual([upload.state, upload.rows, upload.campaign_id], ["new", 0, null]);
    const sent = (await t.send(id, file)).body;
    assert.deepEqual([sent.accepted, sent.refused], [accepted, refused], "as a real request does");
  }));

Deno.test("a number in a file is the person it seems to be, or refused with what to write", () =>
  withUploads(async (t) => {
    const cells = {
      "34600111222.0": "number_has_decimals",
      "34600111222.5": "number_has_decimals",
      "+44 (0)7911 123456": "number_has_zero_in_brackets",
      "34600111222-1": "number_has_extension",
      "34 600 111 222 (2)": "number_has_extension",
      "+1 (555) 010-0199.00": "number_has_decimals",
      "60020": "number_is_invalid",
    };
    const file = csvOf(10, (row) => {
      const cell = ["600200000", "+34 600 111 333", "0044 7911 123456", ...Object.keys(cells)][row - 1]!;
      return `${cell},Ana,A-${row}`;
    });

    const tried = (await t.dryRun(await t.create({ country: "ES" }), file)).body;
    const sent = (await t.send(await t.create({ country: "ES" }), file)).body;

    for (const { problems } of [tried, sent]) {
      assert.deepEqual(problems.map(({ code }: JsonObject) => code), Object.values(cells));
    }
    assert.deepEqual(tried.problems.map(({ recipient }: JsonObject) => recipient), Object.keys(cells));
    assert.deepEqual((await t.stored()).map(({ number }) => number), [
      "34600111333",
      "34600200000",
      "447911123456",
    ]);
  }));

Deno.test("a dry run counts countries, and warns about one to which the company never wrote", () =>
  withUploads(async (t) => {
    const file = csvOf(
      4,
      (row) => `${["600200000", "600200001", "+60 12-345 6789", "+49 1511 2345678"][row - 1]},Ana,A`,
    );
    const id = await t.create({ country: "ES" });
    await t.send(await t.create({ country: "ES" }), csvOf(1, () => "+49 1511 2345679,Ana,A"));

    const { body } = await t.dryRun(id, file);

    assert.deepEqual(body.countries, [
      { country: "ES", count: 2, is_new: false },
      { country: "DE", count: 1, is_new: false },
      { country: "MY", count: 1, is_new: true },
    ]);
    assert.deepEqual(body.warnings.map(({ code, message }: JsonObject) => [code, message.slice(0, 37)]), [
      ["new_country", "1 of the numbers are in Malaysia (MY)"],
    ]);
  }));

Deno.test("a dry run compares the whole file with the sender's limit, and says what else keeps it", () =>
  withUploads(async (t) => {
    await t.sql`
      update outbound.senders set messaging_limit = 'TIER_250', quality = 'RED', status = 'stopped',
        stopped_reason = 'The token has expired' where id = ${t.sending.sender.id}`;

    const { body: { warnings } } = await t.dryRun(await t.create(), csvOf(260));
    const few = await t.dryRun(await t.create(), csvOf(240));

    const codes = (found: JsonObject[]) =>
      found.filter(({ code }) => code !== "new_country").map(({ code, contacts }) => [code, contacts]);
    assert.deepEqual(codes(warnings), [
      ["sender_limit", 10],
      ["sender_quality", undefined],
      ["sender_stopped", 260],
    ]);
    assert.deepEqual(codes(few.body.warnings), [["sender_quality", undefined], ["sender_stopped", 240]]);
  }));

Deno.test("numbers without a country code are of the sender's country where the upload names none", () =>
  withUploads(async (t) => {
    await t.sql`update outbound.senders set number = '34600999111' where id = ${t.sending.sender.id}`;
    const changes = { country: undefined, recipient_id: t.sending.sender.id };

    const { body } = await t.ask("POST", "/uploads", t.body(changes));
    await t.send(body.upload_id, csvOf(1, () => "600200000,Ana,A"));

    assert.equal(body.country, "ES");
    assert.deepEqual((await t.stored()).map(({ number }) => number), ["34600200000"]);
    const refused = await t.ask("POST", "/uploads", t.body({ country: "XX" }));
    assert.deepEqual([refused.status, refused.body.details.field], [400, "country"]);
  }));

Deno.test("POST …/files/preview shows how a file, or its beginning, is read", () =>
  withUploads(async (t) => {
    const preview = (file: BodyInit, type = "text/csv", partial = "false") =>
      t.http.request("POST", `/manage/companies/${t.sending.id}/files/preview`, undefined, {
        rawBody: file,
        headers: { authorization: `Bearer ${t.members.operator.token}`, "content-type": type },
        query: { partial },
      });
    const latin1 = new Uint8Array([...new TextEncoder().encode("Teléfono;Nombre\n1;Jos")].concat(0xe9, 0x0a));
    const windows = Uint8Array.from("Nombre;Tel\nJos\u00e9;1\n", (letter) => letter.charCodeAt(0));

    const csv = (await preview(csvOf(30))).body;
    const begin = csvOf(1000, (row) => row === 1000 ? '34600111222,"An' : undefined);
    const cut = (await preview(begin, "text/csv", "true")).body;
    const json = (await preview('{"Phone":"1","Name":null}\n{"Phone":2}\n', "application/x-ndjson")).body;
    const excel = (await preview(windows)).body;
    const headless = await preview(`Ana;${numberOf(1)}\n`);

    assert.deepEqual([csv.columns, csv.rows.length, csv.count], [["Phone", "First name", "Order"], 20, 30]);
    assert.equal(cut.rows.length, 20);
    const whole = cut.count * begin.length / cut.bytes;
    assert.ok(cut.count < 1000 && Math.abs(whole - 1000) < 20, `${cut.count} rows of about ${whole}`);
    assert.deepEqual([json.columns, json.rows], [["Phone", "Name"], [{ Phone: "1", Name: "" }, {
      Phone: "2",
    }]]);
    assert.deepEqual(excel.rows, [{ Nombre: "José", Tel: "1" }]);
    assert.deepEqual([headless.status, headless.body.missing_header], [200, "Column 1;Number"]);
    for (
      const [file, expected] of [["", "no_rows"], ["a\n", "no_rows"], [latin1, "mixed_encoding"]] as const
    ) {
      assert.equal((await preview(file)).body.details.fault, expected);
    }
  }));

Deno.test("NDJSON is read as CSV is; duplicates are sent where the upload says so", () =>
  withUploads(async (t) => {
    const id = await t.create({ duplicates: "accept" });
    const rows = [
      { Phone: 34600000001, "First name": "Ana", Order: 17 },
      { Phone: numberOf(1), "First name": "Ana", Order: "A-18" },
      { Phone: numberOf(2), "First name": { a: 1 }, Order: "A-19" },
      { Phone: numberOf(3), Order: "A-19" },
    ];

    const { body } = await t.send(id, rows.map((row) => JSON.stringify(row)).join("\n") + "\n[]\n", {
      type: "application/x-ndjson",
    });

    assert.deepEqual(body.problems.map(({ row, column }: JsonObject) => [row, column]), [
      [3, "First name"],
      [4, "First name"],
      [5, null],
    ]);
    assert.deepEqual((await t.stored()).map(({ number }) => number), [numberOf(1), numberOf(1)]);
    assert.deepEqual(body.warned_by_code, [{ code: "duplicate_recipient", count: 1 }]);
  }));

Deno.test("POST …/uploads refuses what would be wrong with every row", async (test) => {
  await withUploads(async (t) => {
    const refusals: [name: string, changes: JsonObject, status: number, error: string, field?: string][] = [
      ["no number", { columns: { name: "First name" } }, 400, "validation_failed", "columns.number"],
      ["a value without a column", { columns: { number: "Phone", name: "N" } }, 422, "variable_mismatch"],
      [
        "a reference to nothing",
        { columns: { number: "Phone", body_text_1: "Order" } },
        400,
        "validation_failed",
        "components_push.body_text_0",
      ],
      [
        "a value that is given twice",
        { columns: { number: "P", name: "N", body_text_0: "A", body_text_1: "B" } },
        400,
        "validation_failed",
        "columns.body_text_0",
      ],
      ["contacts", { contacts: [{ number: numberOf(1) }] }, 400, "validation_failed", "contacts"],
      ["another template", { name_template: "nothing_like_it" }, 404, "template_not_found"],
      [
        "another sender",
        { recipient_id: "34600999999", channel: "fax" },
        400,
        "validation_failed",
        "channel",
      ],
      ["a time that is over", { datetime_sending: "2020-01-01T00:00:00" }, 400, "validation_failed"],
      ["a name of a prototype", { columns: { number: "P", "metadata.": "x" } }, 400, "validation_failed"],
    ];
    for (const [name, changes, status, error, field] of refusals) {
      await test.step(name, async () => {
        const answer = await t.ask("POST", "/uploads", t.body(changes));

        assert.deepEqual([answer.status, answer.body.error], [status, error], JSON.stringify(answer.body));
        if (field !== undefined) assert.equal(answer.body.details.field, field);
      });
    }
    assert.deepEqual((await t.ask("GET", "/uploads")).body.uploads, []);
  });
});

Deno.test("PUT …/contacts refuses a file that cannot be read, and names what is wrong", async (test) => {
  await withUploads(async (t) => {
    const id = await t.create();
    const mixed = new Uint8Array([...new TextEncoder().encode(csvOf(1, () => "é,Ana,A-1")), 0xe9, 0x0a]);
    const refusals: [name: string, file: BodyInit, type: string, status: number, message: RegExp][] = [
      ["another type", "x", "application/json", 400, /text\/csv or application\/x-ndjson/],
      ["no rows", csvOf(0), "text/csv", 400, /no rows/],
      ["nothing", "", "text/csv", 400, /no rows/],
      [
        "no column of that name",
        "phone,First name,Order\n1,2,3\n",
        "text/csv",
        400,
        /no column 'Phone'/,
      ],
      ["a column twice", "Phone,Phone,First name,Order\n", "text/csv", 400, /more than one column 'Phone'/],
      ["a quote that is not closed", csvOf(1, () => '"1,2,3'), "text/csv", 400, /quote is not closed/],
      ["UTF-8 and Latin-1", mixed, "text/csv", 400, /does not stay so/],
      ["no line of names", `${numberOf(1)},Ana,A-1\n`, "text/csv", 400, /holds a phone number/],
    ];
    for (const [name, file, type, status, message] of refusals) {
      await test.step(name, async () => {
        const answer = await t.send(id, file, { type });

        assert.equal(answer.status, status);
        assert.match(answer.body.message, message);
      });
    }
    assert.equal((await t.stored()).length, 0);
    assert.equal((await t.send(id, csvOf(3))).body.accepted, 3, "the right file follows");
  });
});

Deno.test("PUT …/contacts refuses a file that comes byte by byte", () =>
  withUploads(async (t) => {
    const bytes = new TextEncoder().encode(csvOf(6000));
    const parts = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));

    const { status, body } = await t.send(await t.create(), ReadableStream.from(parts));

    assert.deepEqual([status, body.message], [400, "The request body comes in too many small parts"]);
  }));

Deno.test("PUT …/contacts takes a file that comes row by row", () =>
  withUploads(async (t) => {
    const encoder = new TextEncoder();
    const rows = csvOf(1000).split(/(?<=\n)/).map((row) => encoder.encode(row));

    const { body } = await t.send(await t.create(), ReadableStream.from(rows));

    assert.deepEqual([body.state, body.accepted], ["completed", 1000]);
  }));

Deno.test("PUT …/contacts reads 64 MiB at most, and refuses a longer file with 413", () =>
  withUploads(async (t) => {
    const id = await t.create();
    const mebibyte = new Uint8Array(1024 * 1024).fill(0x0a);
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent++;
        controller.enqueue(mebibyte);
      },
    });

    const answer = await t.send(id, endless);

    assert.deepEqual([answer.status, answer.body.details], [413, { limit_bytes: 64 * 1024 * 1024 }]);
    assert.ok(sent < 70, `${sent} MiB were read`);
  }));

Deno.test("an upload of another company is not found, by any of its routes", () =>
  withUploads(async (t) => {
    const id = await t.create();
    const other = await insertCompany(t.sql, { name: "Bolt" });
    const { operator } = t.members;
    await insertMember(t.sql, other.id, operator.userId, "owner");
    for (const [method, path] of [["GET", ""], ["PUT", "/contacts"]]) {
      const answer = await operator.ask(method!, `/companies/${other.id}/uploads/${id}${path}`);
      assert.deepEqual([answer.status, answer.body.message], [404, "Upload not found"]);
    }
    assert.deepEqual((await operator.ask("GET", `/companies/${other.id}/uploads`)).body.uploads, []);
  }));

Deno.test("uploads are listed newest first, page by page", () =>
  withUploads(async (t) => {
    const ids = [await t.create(), await t.create(), await t.create()];

    const first = (await t.ask("GET", "/uploads", undefined, { limit: "2" })).body;
    const second = (await t.ask("GET", "/uploads", undefined, { limit: "2", after: first.next })).body;

    const listed = [...first.uploads, ...second.uploads].map(({ upload_id }) => upload_id);
    assert.deepEqual([listed, second.next], [ids.toReversed(), null]);
  }));

Deno.test(`${MANY} rows are sent once, use ${MANY} of the quota and no request of the key's rate`, () =>
  withUploads(async (t) => {
    await t.sql`update outbound.api_keys set rate_limit = 10, daily_quota = ${MANY}`;
    const id = await t.create();

    const { body } = await t.send(id, csvOf(MANY));

    assert.deepEqual([body.state, body.accepted, body.refused], ["completed", MANY, 0]);
    const [stored] = await t.sql`
      select count(*)::int as people, count(distinct number)::int as numbers from outbound.notifications`;
    assert.deepEqual({ ...stored }, { people: MANY, numbers: MANY });
    const [usage] = await t.sql`
      select sum(requests)::int as requests, sum(day_requests)::int as day, sum(notifications)::int as notifications
      from outbound.usage`;
    assert.deepEqual({ ...usage }, { requests: 0, day: 0, notifications: MANY });
  }));

Deno.test("a quota that is used up stops an upload, which goes on when there is more", () =>
  withUploads(async (t) => {
    await t.sql`update outbound.api_keys set daily_quota = 250`;
    const id = await t.create();

    const stopped = await t.send(id, csvOf(400));
    const half = (await t.ask("GET", `/uploads/${id}`)).body;
    await t.sql`update outbound.api_keys set daily_quota = 1000`;
    const { body } = await t.send(id, csvOf(400));

    assert.deepEqual([stopped.status, stopped.body.error], [429, "quota_exceeded"]);
    assert.deepEqual([half.state, half.rows, half.stopped.code], ["partial", 200, "quota_exceeded"]);
    assert.deepEqual([body.state, body.accepted, body.stopped], ["completed", 400, null]);
    assert.equal((await t.stored()).length, 400);
  }));

Deno.test("a dry run describes all problems with the cells of their rows where they are asked for", () =>
  withUploads(async (t) => {
    const id = await t.create();
    const file = csvOf(450, (row) => row > 210 ? `12,Ana ${row},B-${row}` : undefined);

    const some = (await t.dryRun(id, file)).body;
    const all = (await t.send(id, file, { query: { dry_run: "true", problems: "all" } })).body;

    assert.deepEqual([some.problems.length, "cells" in some.problems[0]], [200, false]);
    assert.equal(all.problems.length, 240);
    assert.deepEqual(all.problems.at(-1).cells, { Phone: "12", "First name": "Ana 450", Order: "B-450" });
    assert.deepEqual([all.problems[0].row, all.problems[0].cells.Order], [211, "B-211"]);
  }));

Deno.test("a campaign that is cancelled meanwhile takes no more rows", () =>
  withUploads(async (t) => {
    await t.sql`update outbound.api_keys set daily_quota = 100`;
    const id = await t.create();
    await t.send(id, csvOf(200));
    await t.sql`update outbound.api_keys set daily_quota = 1000`;
    const { campaign_id } = (await t.ask("GET", `/uploads/${id}`)).body;
    await t.ask("POST", `/campaigns/${campaign_id}/cancel`);

    const answer = await t.send(id, csvOf(200));

    assert.deepEqual([answer.status, answer.body.error], [409, "campaign_cancelled"]);
    assert.equal((await t.stored()).length, 100);
  }));

Deno.test("the start of an upload's sending is in the audit once, and followers see its counters", () =>
  withUploads(async (t) => {
    const follow = async (after: Record<string, string> = {}) =>
      (await t.ask("GET", "/events", undefined, after)).body;
    const { next } = await follow();
    const id = await t.create();
    const { body } = await t.send(id, csvOf(150));
    await t.send(id, csvOf(150));

    const { audit } = (await t.ask("GET", "/audit", undefined, { subject: id })).body;
    assert.deepEqual(audit.map(({ actor, action, after }: JsonObject) => [actor, action, after]), [
      [`user:${t.members.operator.userId}`, "upload.started", {
        campaign_id: body.campaign_id,
        campaign_name: "Orders",
        channel: "whatsapp",
        name_template: t.sending.template.name,
      }],
    ]);
    await eventually(async () => {
      const { events } = await follow({ after: next });
      const { data } = events.find(({ type }: JsonObject) => type === "upload");
      const { upload_id, state, rows, accepted, refused, campaign_name } = data;
      assert.deepEqual({ upload_id, state, rows, accepted, refused, campaign_name }, {
        ...{
          upload_id: id,
          state: "completed",
          rows: 150,
          accepted: 150,
          refused: 0,
          campaign_name: "Orders",
        },
      });
    });
  }));
