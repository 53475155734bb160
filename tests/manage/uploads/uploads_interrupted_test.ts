import assert from "node:assert/strict";
import type { Services } from "../../../supabase/functions/_shared/services.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { csvOf, numberOf, type Uploads, withUploads } from "./with_uploads.ts";

const ROWS = 1050;
const MAX_ATTEMPTS = 100;

/** The file in parts, of which the last one breaks off. */
function brokenOff(file: string, bytes: number): ReadableStream {
  let isSent = false;
  return new ReadableStream({
    pull(controller) {
      if (isSent) return controller.error(new TypeError("the connection was lost"));
      isSent = true;
      controller.enqueue(new TextEncoder().encode(file).subarray(0, bytes));
    },
  });
}

/** Makes the process "die" around storing a batch: nothing after it happens. */
function dieAround(t: Uploads, when: () => "before" | "after" | "never"): void {
  const { acceptances } = t.services;
  const services = t.services as { -readonly [Name in keyof Services]: Services[Name] };
  services.acceptances = {
    ...acceptances,
    async add(request) {
      const moment = when();
      if (moment === "before") throw new Error("killed before the commit");
      const verdict = await acceptances.add(request);
      if (moment === "after" && verdict.outcome === "accepted") throw new Error("killed after the commit");
      return verdict;
    },
  };
}

/** Fails unless every recipient in `numbers` has one message, in one campaign that agrees. */
async function assertOnce(t: Uploads, numbers: string[], campaignId: string): Promise<void> {
  const stored = await t.stored();
  assert.deepEqual(stored.map(({ number }) => number), numbers.toSorted());
  const campaign = (await t.ask("GET", `/campaigns/${campaignId}`)).body;
  assert.deepEqual([campaign.total, campaign.pending, campaign.open_until], [
    numbers.length,
    numbers.length,
    null,
  ]);
  const [usage] = await t.sql<{ used: number }[]>`
    select sum(notifications)::int as used from outbound.usage`;
  assert.equal(usage!.used, numbers.length, "counted once");
}

Deno.test("a file is received whole while its first rows are still being stored", () =>
  withUploads(async (t) => {
    const { promise: isRead, resolve } = Promise.withResolvers<void>();
    const { acceptances } = t.services;
    Object.assign(t.services, {
      acceptances: {
        ...acceptances,
        async add(request: Parameters<typeof acceptances.add>[0]) {
          await isRead;
          return await acceptances.add(request);
        },
      },
    });
    const bytes = new TextEncoder().encode(csvOf(ROWS));
    let sent = 0;
    const file = new ReadableStream({
      pull(controller) {
        if (sent >= bytes.length) {
          resolve();
          return controller.close();
        }
        controller.enqueue(bytes.slice(sent, sent += 1000));
      },
    });

    const { body } = await t.send(await t.create(), file);

    assert.deepEqual([body.state, body.accepted], ["completed", ROWS]);
  }));

const numbersOf = (rows: number) => Array.from({ length: rows }, (_, index) => numberOf(index + 1));

Deno.test("a file that is sent again after each of many breaks reaches every recipient exactly once", () =>
  withUploads(async (t) => {
    const counts = { before: 0, after: 0, connection: 0 };
    dieAround(t, () => {
      // The first one breaks, so that no luck leaves the test without a break.
      const luck = counts.before === 0 ? 0 : Math.random();
      const moment = luck < 0.15 ? "before" : luck < 0.4 ? "after" : "never";
      if (moment !== "never") counts[moment]++;
      return moment;
    });
    const id = await t.create();
    const file = csvOf(ROWS, (row) => row % 10 === 0 ? `1${row},Ana,A` : undefined);

    let last: { status: number; body: JsonObject } = { status: 0, body: {} };
    for (let attempts = 0; last.status !== 200; attempts++) {
      assert.ok(attempts < MAX_ATTEMPTS);
      const isCut = Math.random() < 0.3;
      if (isCut) counts.connection++;
      last = await t.send(id, isCut ? brokenOff(file, Math.floor(Math.random() * file.length)) : file);
      const { total = 0 } = (await t.sql`select sum(total)::int as total from outbound.campaigns`)[0]!;
      assert.equal(total ?? 0, (await t.stored()).length);
    }

    assert.ok(counts.before + counts.after > 0, JSON.stringify(counts));
    const wanted = numbersOf(ROWS).filter((_, index) => (index + 1) % 10 !== 0);
    assert.deepEqual([last.body.rows, last.body.accepted, last.body.refused], [
      ROWS,
      wanted.length,
      ROWS / 10,
    ]);
    assert.deepEqual(
      last.body.problems.map(({ row }: JsonObject) => row),
      Array.from({ length: ROWS / 10 }, (_, index) => 10 * (index + 1)),
    );
    await assertOnce(t, wanted, last.body.campaign_id);
  }));

Deno.test("a file whose connection breaks leaves a partial upload with an open campaign, which the same file completes", () =>
  withUploads(async (t) => {
    const id = await t.create();
    const file = csvOf(1000);

    const broken = await t.send(id, brokenOff(file, file.length / 2));

    assert.deepEqual([broken.status, broken.body.message], [400, "The request body ended early"]);
    const half = (await t.ask("GET", `/uploads/${id}`)).body;
    assert.deepEqual([half.state, half.rows % 100, half.accepted], ["partial", 0, half.rows]);
    assert.ok(half.rows > 0 && half.rows <= 500, `${half.rows} rows`);
    const campaign = (await t.ask("GET", `/campaigns/${half.campaign_id}`)).body;
    assert.ok(campaign.open_until !== null);
    const { body } = await t.send(id, file);
    assert.deepEqual([body.state, body.accepted, body.campaign_id], ["completed", 1000, half.campaign_id]);
    await assertOnce(t, numbersOf(1000), body.campaign_id);
  }));

Deno.test("another file for a begun upload is a 409 upload_differs, and nothing of it is sent", async (test) => {
  const others: [name: string, file: string][] = [
    ["another row that is recorded", csvOf(300, (row) => row === 50 ? "34699999999,Ana,A" : undefined)],
    [
      "another row of the batch that may be stored",
      csvOf(300, (row) => row === 250 ? "34699999999,Ana,A" : undefined),
    ],
    ["fewer rows than are recorded", csvOf(150)],
    ["other columns", csvOf(300).replace("First name,Order", "Order,First name")],
  ];
  for (const [name, file] of others) {
    await test.step(name, () =>
      withUploads(async (t) => {
        let batches = 0;
        dieAround(t, () => ++batches === 3 ? "after" : "never");
        const id = await t.create();
        assert.equal((await t.send(id, csvOf(300))).status, 500);

        const answer = await t.send(id, file);

        assert.deepEqual([answer.status, answer.body.error], [409, "upload_differs"]);
        assert.equal((await t.stored()).length, 300);
        const { body } = await t.send(id, csvOf(300));
        assert.equal(body.state, "completed");
        await assertOnce(t, numbersOf(300), body.campaign_id);
      }));
  }
});

Deno.test("the file of a completed upload may be sent again, for the same response; no other file", () =>
  withUploads(async (t) => {
    const id = await t.create();
    const first = await t.send(id, csvOf(230));

    const again = await t.send(id, csvOf(230));

    assert.deepEqual({ ...again.body, changed_at: "" }, { ...first.body, changed_at: "" });
    for (const rows of [229, 231, 330, 100]) {
      const other = await t.send(id, csvOf(rows));
      assert.deepEqual([other.status, other.body.error], [409, "upload_differs"], `${rows} rows`);
    }
    await assertOnce(t, numbersOf(230), first.body.campaign_id);
  }));

Deno.test("rows may be corrected and added behind those that are recorded", () =>
  withUploads(async (t) => {
    const id = await t.create();
    const faulty = await t.send(id, csvOf(300, (row) => row === 290 ? '"a quote' : undefined));

    const { body } = await t.send(id, csvOf(310));

    assert.equal(faulty.status, 400);
    assert.deepEqual([body.state, body.accepted], ["completed", 310]);
    await assertOnce(t, numbersOf(310), body.campaign_id);
  }));

Deno.test("two requests that send the same file at once reach every recipient once; the later one goes on", () =>
  withUploads(async (t) => {
    const id = await t.create();

    const responses = await Promise.all([t.send(id, csvOf(ROWS)), t.send(id, csvOf(ROWS))]);

    const statuses = responses.map(({ status, body }) => body.error ?? status).sort();
    assert.deepEqual(statuses, [200, "upload_in_progress"]);
    const { body } = await t.ask("GET", `/uploads/${id}`);
    assert.deepEqual([body.state, body.accepted], ["completed", ROWS]);
    await assertOnce(t, numbersOf(ROWS), body.campaign_id);
  }));

Deno.test("a third file of a company at once is refused with 429, until one is over", () =>
  withUploads(async (t) => {
    const waiting = Array.from({ length: 2 }, () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const isRead = Promise.withResolvers<void>();
      const file = new ReadableStream({
        async pull(controller) {
          isRead.resolve();
          await promise;
          controller.enqueue(new TextEncoder().encode(csvOf(3)));
          controller.close();
        },
      }, { highWaterMark: 0 });
      return { file, isRead: isRead.promise, go: resolve };
    });
    const ids = [await t.create(), await t.create(), await t.create()];
    const sent = waiting.map(({ file }, index) => t.send(ids[index]!, file));
    await Promise.all(waiting.map(({ isRead }) => isRead));

    const third = await t.send(ids[2]!, csvOf(3));
    waiting.forEach(({ go }) => go());

    assert.deepEqual([third.status, third.body.error], [429, "rate_limit_exceeded"]);
    assert.ok(Number(third.headers.get("retry-after")) > 0);
    for (const { status } of await Promise.all(sent)) assert.equal(status, 200);
    assert.equal((await t.send(ids[2]!, csvOf(3))).status, 200);
  }));

Deno.test("an upload whose last batch may be stored cannot be continued after 23 hours; one that stopped for sure can", () =>
  withUploads(async (t) => {
    let dies = true;
    dieAround(t, () => dies ? "after" : "never");
    const inDoubt = await t.create();
    assert.equal((await t.send(inDoubt, csvOf(100))).status, 500);
    dies = false;
    const sure = await t.create();
    assert.equal((await t.send(sure, brokenOff(csvOf(300), 50))).status, 400);
    await t.sql`
      update outbound.campaign_uploads
      set in_doubt_since = in_doubt_since - interval '24 hours', changed_at = changed_at - interval '24 hours'`;

    const answer = await t.send(inDoubt, csvOf(100));

    assert.deepEqual([answer.status, answer.body.error], [409, "upload_expired"]);
    assert.equal((await t.ask("GET", `/uploads/${inDoubt}`)).body.stopped.code, "upload_expired");
    assert.equal((await t.stored()).length, 100);
    assert.equal((await t.send(sure, csvOf(300))).body.accepted, 300);
  }));

/** Begins an upload of 300 rows whose last batch is stored and not recorded. */
async function beginInDoubt(t: Uploads): Promise<string> {
  let batches = 0;
  dieAround(t, () => ++batches === 3 ? "after" : "never");
  const id = await t.create();
  assert.equal((await t.send(id, csvOf(300))).status, 500);
  return id;
}

Deno.test("another file leaves it open whether the last batch is stored, so the first file cannot repeat it later", () =>
  withUploads(async (t) => {
    const id = await beginInDoubt(t);
    const other = await t.send(id, csvOf(300, (row) => row === 250 ? "34699999999,Ana,A" : undefined));
    assert.equal(other.body.error, "upload_differs");
    await t.sql`update outbound.campaign_uploads set in_doubt_since = in_doubt_since - interval '24 hours'`;
    await t.sql`delete from outbound.idempotency_keys`;

    const answer = await t.send(id, csvOf(300));

    assert.deepEqual([answer.status, answer.body.error], [409, "upload_expired"]);
    assert.equal((await t.stored()).length, 300);
  }));

Deno.test("a file that ends before a batch that is stored and not recorded is another file", () =>
  withUploads(async (t) => {
    const id = await beginInDoubt(t);

    const answer = await t.send(id, csvOf(200));

    assert.deepEqual([answer.status, answer.body.error], [409, "upload_differs"]);
    const { body } = await t.send(id, csvOf(300));
    assert.deepEqual([body.state, body.accepted], ["completed", 300]);
    await assertOnce(t, numbersOf(300), body.campaign_id);
  }));

Deno.test("a batch of refused rows does not take the place of one that is stored and not recorded", () =>
  withUploads(async (t) => {
    const id = await beginInDoubt(t);

    const answer = await t.send(id, csvOf(300, (row) => row > 200 ? `1${row},Ana,A` : undefined));

    assert.deepEqual([answer.status, answer.body.error], [409, "upload_differs"]);
  }));

/** Begins an upload of 300 rows of which the second batch cannot be recorded; the third is stored by then. */
async function beginTwoInDoubt(t: Uploads): Promise<string> {
  await t.sql`
    create function outbound.fail_to_record() returns trigger language plpgsql as $$
    begin raise exception 'the second batch is not recorded'; end $$`;
  await t.sql`
    create trigger fail_to_record before update on outbound.campaign_uploads
    for each row when (new.batches = 2) execute function outbound.fail_to_record()`;
  const id = await t.create();
  assert.equal((await t.send(id, csvOf(300))).status, 500);
  await t.sql`drop trigger fail_to_record on outbound.campaign_uploads`;
  assert.equal((await t.ask("GET", `/uploads/${id}`)).body.rows, 100);
  assert.equal((await t.stored()).length, 300);
  return id;
}

Deno.test("two batches that are stored and not recorded are sent once, and no other file takes their place", async (test) => {
  const others: [name: string, file: string][] = [
    ["the first of them alone", csvOf(200)],
    ["another row in the second", csvOf(300, (row) => row === 250 ? "34699999999,Ana,A" : undefined)],
    ["refused rows as the second", csvOf(300, (row) => row > 200 ? `1${row},Ana,A` : undefined)],
  ];
  for (const [name, file] of others) {
    await test.step(name, () =>
      withUploads(async (t) => {
        const id = await beginTwoInDoubt(t);

        const answer = await t.send(id, file);

        assert.deepEqual([answer.status, answer.body.error], [409, "upload_differs"]);
        const { body } = await t.send(id, csvOf(300));
        assert.deepEqual([body.state, body.accepted], ["completed", 300]);
        await assertOnce(t, numbersOf(300), body.campaign_id);
      }));
  }
});

Deno.test("a file without a first line of names leaves no data of people in the upload", () =>
  withUploads(async (t) => {
    const id = await t.create();

    const answer = await t.send(id, "34600111222,Ana,A-1\n34600111333,Luis,A-2\n");

    assert.deepEqual([answer.status, answer.body.details.fault], [400, "no_header"]);
    const { stopped } = (await t.ask("GET", `/uploads/${id}`)).body;
    assert.equal(stopped.message, answer.body.message);
    assert.doesNotMatch(JSON.stringify([answer.body, stopped]), /34600111222|Ana/);
  }));
