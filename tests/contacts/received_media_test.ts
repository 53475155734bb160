import assert from "node:assert/strict";
import type postgres from "postgres";
import { storeReceivedMedia } from "../../supabase/functions/_shared/dispatching/store_received_media.ts";
import { insertSendingCompany } from "../setup/fixtures/queue.ts";
import { ANA, receive } from "../webhooks/inbound.ts";
import { refuse } from "./with_replies.ts";
import { JPEG, platformWith, type ReceivedMedia, withReceivedMedia } from "./with_received_media.ts";

const STORED = {
  state: "stored",
  content_type: "image/jpeg",
  bytes: JPEG.length,
  error_code: null,
  error_reason: null,
};

/** A promise, and what resolves it. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}

async function pending({ sql }: ReceivedMedia): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from outbound.received_media`;
  return row!.count;
}

function runStep({ services }: ReceivedMedia, options: { transferMs?: number } = {}): Promise<void> {
  return storeReceivedMedia(services, new AbortController().signal, options);
}

Deno.test("a file that a person sent is stored by a dispatcher, and downloaded when the platform has it no more", async () => {
  let isGone = false;
  await withReceivedMedia(async (t) => {
    const id = await t.receiveFile();
    const before = await t.attachmentOf(id);

    await t.dispatch();
    isGone = true;
    const response = await t.ask("GET", `replies/${id}/media`);

    assert.equal(before.state, "waiting");
    assert.deepEqual(await t.attachmentOf(id), STORED);
    assert.equal(response.status, 200);
    assert.equal((await t.stored()).length, 1);
    assert.equal(await pending(t), 0);
  }, (request) => isGone ? refuse(100) : platformWith(() => new Response(JPEG))(request));
});

Deno.test("nothing is to be fetched without a file, and where no media are stored", () =>
  withReceivedMedia(async (t) => {
    await receive(t, t.company.sender, "Hello");
    const location = await t.receiveFile({ id: undefined, latitude: 1, longitude: 2 }, "location");
    t.services.mediaStore = null;
    const image = await t.receiveFile();

    assert.equal(await pending(t), 0);
    assert.equal(await t.attachmentOf(location), null);
    assert.equal((await t.attachmentOf(image)).state, "on_platform");
  }));

const page = () => new Response("<html></html>", { headers: { "content-type": "text/html" } });
const stream = () =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(JPEG);
      controller.close();
    },
  });

const FAILURES: [
  why: string,
  respond: (request: Request) => Response | Promise<Response>,
  state: "not_stored" | "waiting",
  code: string,
][] = [
  ["knows no such file", () => refuse(100), "not_stored", "gone"],
  ["responds 404", () => new Response(null, { status: 404 }), "not_stored", "gone"],
  [
    "responds 410 for the bytes",
    platformWith(() => new Response(null, { status: 410 })),
    "not_stored",
    "gone",
  ],
  [
    "has a file that is too large",
    platformWith(() => new Response(new ReadableStream(), { headers: { "content-length": "104857601" } })),
    "not_stored",
    "too_large",
  ],
  [
    "describes a file that is too large",
    platformWith(() => new Response(stream()), { file_size: "104857601" }),
    "not_stored",
    "too_large",
  ],
  ["responds 500", () => new Response(null, { status: 500 }), "waiting", "unavailable"],
  [
    "responds 500 for the bytes",
    platformWith(() => new Response(null, { status: 500 })),
    "waiting",
    "unavailable",
  ],
  ["refuses the token", () => refuse(190, 401), "waiting", "unavailable"],
  ["responds with a page", page, "waiting", "unavailable"],
  ["responds with a page for the bytes", platformWith(page), "waiting", "unavailable"],
  [
    "sends less than it says",
    platformWith(() => new Response(stream()), { file_size: 100 }),
    "waiting",
    "unavailable",
  ],
  [
    "sends more than it says",
    platformWith(() => new Response(stream()), { file_size: 1 }),
    "waiting",
    "unavailable",
  ],
  ["does not say how much it sends", platformWith(() => new Response(stream())), "waiting", "unavailable"],
];

for (const [why, respond, state, code] of FAILURES) {
  Deno.test(`a file stays out of the store, and says why, when the platform ${why}`, async () => {
    let requests = 0;
    await withReceivedMedia(async (t) => {
      const id = await t.receiveFile();

      await runStep(t);
      const attempts = requests;
      await runStep(t);

      const attachment = await t.attachmentOf(id);
      assert.deepEqual([attachment.state, attachment.error_code], [state, code]);
      assert.match(attachment.error_reason, /\w/);
      assert.equal(requests, attempts, "it is not fetched again at once");
      const [row] = await t.sql`
        select extract(epoch from next_at - now())::float8 as waits_s from outbound.received_media`;
      if (state === "waiting") assert.ok(row!.waits_s > 20 && row!.waits_s < 40, `${row!.waits_s} s`);
      else assert.equal(row!.waits_s, null);
      await t.sql`update outbound.media_leftovers set due_at = now()`;
      assert.deepEqual(await t.storedInTheEnd(), []);
      assert.deepEqual([...await t.sql`select from outbound.media_usage where bytes > 0`], []);
    }, (request) => {
      requests++;
      return respond(request);
    });
  });
}

Deno.test("a file is fetched again with growing waits, stored once the platform has it, and fails after a week", async () => {
  let isBroken = true;
  await withReceivedMedia(async (t) => {
    const [first, second] = [await t.receiveFile(), await t.receiveFile()];
    const waits: number[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      await t.makeDue();
      await runStep(t);
      const [row] = await t.sql<{ waits_s: number }[]>`
        select extract(epoch from next_at - now())::float8 as waits_s from outbound.received_media where message_id = ${first}`;
      waits.push(row!.waits_s);
    }
    await t
      .sql`update outbound.received_media set created_at = now() - interval '7 days' where message_id = ${second}`;
    await t.makeDue();
    await runStep(t);
    isBroken = false;
    await t.makeDue();
    await runStep(t);

    assert.ok(waits[0]! < waits[1]! && waits[1]! < waits[2]! && waits[2]! < 150, waits.join());
    assert.deepEqual(await t.attachmentOf(first), STORED);
    const { state, error_code } = await t.attachmentOf(second);
    assert.deepEqual([state, error_code], ["not_stored", "unavailable"]);
  }, (request) => isBroken ? refuse(1, 500) : platformWith(() => new Response(JPEG))(request));
});

Deno.test("a file that does not begin as its type does is kept without the type", () =>
  withReceivedMedia(
    async (t) => {
      const id = await t.receiveFile();

      await runStep(t);

      assert.equal((await t.attachmentOf(id)).content_type, "application/octet-stream");
      const { headers } = await t.ask("GET", `replies/${id}/media`);
      assert.equal(headers.get("content-type"), "application/octet-stream");
    },
    platformWith(() =>
      new Response("<script>alert(1)</script>", { headers: { "content-type": "image/jpeg" } })
    ),
  ));

Deno.test("a platform that hangs, before or in the file, is left after the time of a transfer", async () => {
  for (const part of ["link", "file", "body"]) {
    const test = gate();
    await withReceivedMedia(async (t) => {
      const id = await t.receiveFile();

      await runStep(t, { transferMs: 200 });
      test.open();

      const { state, error_code } = await t.attachmentOf(id);
      assert.deepEqual([state, error_code], ["waiting", "unavailable"], part);
    }, async (request) => {
      if (part === "link") await test.opened;
      return await platformWith(async () => {
        if (part === "file") await test.opened;
        if (part !== "body") return new Response(JPEG);
        const body = new ReadableStream({ start: (controller) => controller.enqueue(JPEG) });
        return new Response(body, { headers: { "content-length": "100" } });
      })(request);
    });
  }
});

Deno.test("two dispatchers fetch each file once", async () => {
  let fetched = 0;
  await withReceivedMedia(
    async (t) => {
      const ids = [];
      for (let count = 0; count < 12; count++) ids.push(await t.receiveFile());

      await Promise.all([runStep(t), runStep(t)]);
      await runStep(t);

      assert.equal(fetched, ids.length);
      assert.equal((await t.stored()).length, ids.length);
    },
    platformWith(() => {
      fetched++;
      return new Response(JPEG);
    }),
  );
});

Deno.test("a company with many files takes half of the slots, and delays the file of another by a turn", async () => {
  const order: string[] = [];
  let [atOnce, most] = [0, 0];
  await withReceivedMedia(async (t) => {
    for (let count = 0; count < 20; count++) await t.receiveFile();
    const other = await insertSendingCompany(t.sql as unknown as postgres.Sql);
    await receive(t, other.sender, { type: "image", image: { id: "778" } });

    await runStep(t);

    assert.ok(order.indexOf("778") <= 2, order.join());
    assert.equal(order.length, 21);
    assert.ok(most <= 3, `${most}: two of the one, one of the other`);
  }, async (request) => {
    const id = new URL(request.url).pathname.split("/").at(-1)!;
    if (id !== "file") order.push(id);
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setTimeout(resolve, 10));
    atOnce--;
    return platformWith(() => new Response(JPEG))(request);
  });
});

Deno.test("a dispatcher that stops finishes the files under way, and begins no others", async () => {
  const [begun, file] = [gate(), gate()];
  await withReceivedMedia(
    async (t) => {
      for (let count = 0; count < 5; count++) await t.receiveFile();
      const stopping = new AbortController();

      const running = storeReceivedMedia(t.services, stopping.signal);
      await begun.opened;
      stopping.abort();
      file.open();
      await running;

      assert.equal((await t.stored()).length, 2);
      assert.equal(await pending(t), 3);
    },
    platformWith(async () => {
      begun.open();
      await file.opened;
      return new Response(JPEG);
    }),
  );
});

/** Runs the step, calls `change` while the platform holds the file back, and lets the step end. */
async function storeDuring(
  change: (t: ReceivedMedia) => Promise<unknown>,
  check: (t: ReceivedMedia) => Promise<void>,
) {
  const [begun, file] = [gate(), gate()];
  await withReceivedMedia(
    async (t) => {
      await t.receiveFile();
      const running = runStep(t);
      await begun.opened;
      await change(t);
      file.open();
      await running;
      await check(t);
      assert.equal(await pending(t), 0);
      assert.deepEqual(await t.storedInTheEnd(), []);
      assert.deepEqual([...await t.sql`select from outbound.media_files`], []);
      assert.deepEqual([...await t.sql`select from outbound.media_leftovers`], []);
    },
    platformWith(() => {
      begun.open();
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(JPEG.subarray(0, 3));
          await file.opened;
          controller.enqueue(JPEG.subarray(3));
          controller.close();
        },
      });
      return new Response(body, { headers: { "content-length": String(JPEG.length) } });
    }),
  );
}

Deno.test("nothing of a person is stored who is erased while the file is on its way", () =>
  storeDuring(
    async (t) => assert.equal((await t.ask("POST", "erase", { number: ANA.number })).status, 200),
    () => Promise.resolve(),
  ));

Deno.test("nothing of a company is stored that is deleted while a file is on its way", () =>
  storeDuring(
    (t) => t.sql`delete from outbound.companies where id = ${t.company.id}`,
    async (t) => assert.deepEqual([...await t.sql`select from outbound.received_media_schedule`], []),
  ));

Deno.test("an erased person's file is not fetched", async () => {
  let requests = 0;
  await withReceivedMedia(async (t) => {
    await t.receiveFile();
    assert.equal((await t.ask("POST", "erase", { number: ANA.number })).status, 200);

    await runStep(t);

    assert.equal(requests, 0);
    assert.deepEqual([...await t.sql`select from outbound.received_media_schedule`], []);
  }, () => {
    requests++;
    return refuse(100);
  });
});

Deno.test("a dispatcher whose lease ran out records nothing over the next one", () =>
  withReceivedMedia(async (t) => {
    const id = await t.receiveFile();
    const claim = () => t.sql`select * from outbound.claim_received_media(4, interval '0 s', '{}')`;
    const [first] = await claim();
    await t.makeDue();
    const [second] = await claim();
    const fail = (attempt: number, code: string) =>
      t.sql`select outbound.fail_received_media(${t.company.id}, ${id}, ${attempt}, ${code}, 'No', null)`;

    await fail(first!.attempt, "gone");
    const before = await t.attachmentOf(id);
    await fail(second!.attempt, "too_large");

    assert.equal(before.error_code, null);
    assert.equal((await t.attachmentOf(id)).error_code, "too_large");
  }));
