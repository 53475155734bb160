import assert from "node:assert/strict";
import { AppError } from "../../../../supabase/functions/_shared/errors.ts";
import { fetchRecording } from "../../../../supabase/functions/_shared/gateways/voice/fetch_recording.ts";
import { closedPort, withHttpServer } from "../local_server.ts";

const KEY = "sk_very-secret-key";
const SOUND = new Uint8Array([0x49, 0x44, 0x33, 4, 5, 6]);
const MAX_BYTES = 1024 * 1024;

function fetchFrom(apiUrl: string, limits: { timeoutMs?: number } = {}, apiKey = KEY) {
  return fetchRecording({ apiUrl }, { conversationId: "conv_1/x", apiKey }, {
    maxBytes: MAX_BYTES,
    ...limits,
  });
}

type Fetched = Awaited<ReturnType<typeof fetchFrom>>;

/** Calls `use` with the result for a platform that responds like this. */
async function withResponse(
  respond: (request: Request) => Response | Promise<Response>,
  use: (fetched: Fetched) => unknown,
  limits: { timeoutMs?: number } = {},
): Promise<void> {
  await withHttpServer(respond, async (url) => void await use(await fetchFrom(url, limits)));
}

const sound = (type: string, body: BodyInit = SOUND, headers: Record<string, string> = {}) =>
  new Response(body, { headers: { "content-type": type, ...headers } });

async function bytesOf(fetched: Fetched): Promise<Uint8Array> {
  assert.ok(typeof fetched === "object");
  return await new Response(fetched.body).bytes();
}

/** A body of 64 KiB pieces whose length is not announced. */
function endless(pieces: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = pieces;
  return new ReadableStream({
    pull: (controller) => left-- > 0 ? controller.enqueue(new Uint8Array(65_536)) : controller.close(),
  });
}

Deno.test("fetchRecording() asks for the conversation's sound with the key, and passes it on", async () => {
  let seen: unknown;
  await withResponse(({ method, url, headers }) => {
    seen = [method, new URL(url).pathname, headers.get("xi-api-key")];
    return sound("audio/mpeg");
  }, async (fetched) => assert.deepEqual(await bytesOf(fetched), SOUND));

  assert.deepEqual(seen, ["GET", "/v1/convai/conversations/conv_1%2Fx/audio", KEY]);
});

for (
  const [given, type] of [
    ["audio/mpeg", "audio/mpeg"],
    ["Audio/MP3", "audio/mpeg"],
    ["audio/x-wav", "audio/wav"],
    ["audio/ogg; codecs=opus", "audio/ogg"],
  ]
) {
  Deno.test(`fetchRecording() takes ${given} for ${type}`, () =>
    withResponse(() => sound(given!), async (fetched) => {
      assert.ok(typeof fetched === "object");
      assert.deepEqual([fetched.type, fetched.length], [type, SOUND.length]);
      await fetched.body.cancel();
    }));
}

const NONE: [what: string, respond: () => Response][] = [
  [
    "an unknown conversation",
    () => Response.json({ detail: { code: "conversation_not_found" } }, { status: 404 }),
  ],
  ["a deleted one", () => new Response("gone", { status: 410 })],
  ["no content", () => new Response(null, { status: 204 })],
  ["an empty file", () => sound("audio/mpeg", "", { "content-length": "0" })],
];

for (const [what, respond] of NONE) {
  Deno.test(`fetchRecording() says that there is none: ${what}`, () =>
    withResponse(respond, (fetched) => assert.equal(fetched, "missing")));
}

const FAILURES: [what: string, respond: (url: string) => Response, retryAfterS?: number][] = [
  ["a refused key", () => Response.json({ detail: `wrong key ${KEY}` }, { status: 401 })],
  ["no permission", () => Response.json({ detail: { code: "missing_permissions" } }, { status: 403 })],
  ["too many requests", () => new Response(KEY, { status: 429, headers: { "retry-after": "7" } }), 7],
  ["a fault of the platform", () => new Response(`<html>${KEY}</html>`, { status: 500 })],
  ["a page", () => sound("text/html", "<script></script>")],
  ["a picture", () => sound("image/svg+xml", "<svg/>")],
  ["sound of an unknown type", () => sound("audio/x-evil")],
  ["no media type", () => new Response(SOUND)],
  ["part of the file", () => new Response(SOUND, { status: 206, headers: { "content-type": "audio/mpeg" } })],
  ["a redirect", (url) => new Response(null, { status: 302, headers: { location: `${url}/elsewhere` } })],
];

for (const [what, respond, retryAfterS] of FAILURES) {
  Deno.test(`fetchRecording() refuses ${what} without the platform's words`, async () => {
    const paths: string[] = [];
    await withHttpServer(({ url }) => {
      paths.push(new URL(url).pathname);
      return respond(url);
    }, async (url) => {
      await assert.rejects(fetchFrom(url), (error) => {
        assert.ok(error instanceof AppError && error.code === "service_unavailable");
        assert.equal(error.retryAfterS, retryAfterS);
        assert.doesNotMatch(JSON.stringify([error.message, error.details]), /very-secret|html|script/);
        return true;
      });
    });
    assert.equal(paths.length, 1, "follows nothing");
  });
}

Deno.test("fetchRecording() refuses what is announced as too large, and stops what turns out to be", async () => {
  const announced = () => sound("audio/mpeg", endless(100), { "content-length": String(MAX_BYTES + 1) });
  await withResponse(announced, (fetched) => assert.equal(fetched, "too_large"));

  await withResponse(
    () => sound("audio/mpeg", endless(16)),
    async (fetched) => assert.equal((await bytesOf(fetched)).length, MAX_BYTES),
  );
  await withResponse(
    () => sound("audio/mpeg", endless(1000)),
    (fetched) => assert.rejects(bytesOf(fetched), /larger than 1 MB/),
  );
});

Deno.test("fetchRecording() does not wait for a platform that stays silent", async () => {
  const silent = ({ signal }: Request) =>
    new Promise<Response>((resolve) => signal.addEventListener("abort", () => resolve(new Response())));
  await withHttpServer(silent, async (url) => {
    await assert.rejects(fetchFrom(url, { timeoutMs: 50 }), { code: "service_unavailable" });
  });

  const half = () =>
    sound("audio/mpeg", new ReadableStream({ start: (controller) => controller.enqueue(SOUND) }));
  await withResponse(
    half,
    (fetched) => assert.rejects(bytesOf(fetched), /stopped sending/),
    { timeoutMs: 1000 },
  );
});

Deno.test("fetchRecording() refuses without a platform, and with a key that is none", async () => {
  const away = `http://127.0.0.1:${closedPort()}`;

  await assert.rejects(fetchFrom(away), { code: "service_unavailable" });
  await assert.rejects(fetchFrom(away, {}, "two\nlines"), (error) => {
    assert.ok(error instanceof AppError);
    assert.match(error.message, /does not accept the key/);
    assert.doesNotMatch(error.message, /lines/);
    return true;
  });
});
