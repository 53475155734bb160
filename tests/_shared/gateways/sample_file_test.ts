import assert from "node:assert/strict";
import { openSampleFile } from "../../../supabase/functions/_shared/gateways/sample_file.ts";
import { closedPort, withRawServer, write } from "./local_server.ts";

const LOCAL = { timeoutMs: 2000, allowPrivate: true };

/** Fetches an image from a server that writes exactly `pieces` and closes: returns its text, or why there is none. */
async function fetchFrom(pieces: string[], options = LOCAL): Promise<{ text: string; length?: number }> {
  let result = { text: "" };
  await withRawServer(async (connection) => {
    for (const piece of pieces) await write(connection, piece);
    connection.close();
  }, async (url) => {
    result = await readSample(await openSampleFile({ url: `${url}/a.png`, format: "IMAGE" }, options));
  });
  return result;
}

async function readSample(
  sample: Awaited<ReturnType<typeof openSampleFile>>,
): Promise<{ text: string; length?: number; type?: string; name?: string }> {
  if (typeof sample === "string") return { text: sample };
  const { body, type, name, length, failure, close } = sample;
  try {
    return { text: await new Response(body).text(), type, name, length };
  } catch {
    return { text: failure() ?? "" };
  } finally {
    close();
  }
}

const head = (...lines: string[]) =>
  ["HTTP/1.1 200 OK", "Content-Type: image/png", ...lines, "", ""].join("\r\n");

Deno.test("openSampleFile() reads a body by its length, in chunks, or to the end", async () => {
  const bodies = [
    [head("Content-Length: 5"), "hello", "more"],
    [head("content-length: 5"), "he", "llo"],
    [head("Transfer-Encoding: chunked"), "2;x=y\r\nhe\r\n3\r", "\nllo\r\n0\r\n\r\n"],
    [head(), "hel", "lo"],
    ["HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n", head("Content-Length: 5"), "hello"],
  ];
  for (const pieces of bodies) {
    assert.deepEqual(await fetchFrom(pieces), {
      text: "hello",
      type: "image/png",
      name: "sample.png",
      length: 5,
    });
  }
});

Deno.test("openSampleFile() refuses a file of unknown length that is another one the second time", async () => {
  for (const second of ["hell", "hello!"]) {
    const bodies = ["hello", second];
    await withRawServer(async (connection, count) => {
      await write(connection, head() + bodies[count - 1]);
      connection.close();
    }, async (url) => {
      const sample = await openSampleFile({ url: `${url}/a.png`, format: "IMAGE" }, LOCAL);

      assert.match((await readSample(sample)).text, /changed while it was fetched/);
    });
  }
});

Deno.test("openSampleFile() says of a reader that stops whether it waited for the source", async () => {
  await withRawServer((connection) => write(connection, head("Content-Length: 5") + "he"), async (url) => {
    const sample = await openSampleFile({ url: `${url}/a.png`, format: "IMAGE" }, LOCAL);
    assert.ok(typeof sample !== "string");
    const reader = sample.body.getReader();
    await reader.read();
    assert.equal(sample.isWaiting(), false);

    const waiting = reader.read();
    await new Promise((resolve) => setTimeout(resolve)); // the stream asks its source one turn later
    await reader.cancel();
    await waiting;

    assert.deepEqual([sample.isWaiting(), sample.failure()], [true, undefined]);
  });
});

Deno.test("openSampleFile() reports what is wrong with a response", async () => {
  const responses: [pieces: string[], reason: RegExp][] = [
    [["nonsense\r\n\r\n"], /not HTTP/],
    [[""], /closed the connection without a response/],
    [[head("Content-Length: 9"), "short"], /broke before the whole/],
    [[head("Content-Length: 99999999999")], /larger than 5 MB/],
    [[head("Content-Length: -1")], /not HTTP/],
    [[head("Transfer-Encoding: chunked"), "zz\r\n"], /not HTTP/],
    [[head("Transfer-Encoding: chunked"), "fffffff\r\n"], /larger than 5 MB/],
    [[head(`X: ${"x".repeat(9000)}`)], /too long/],
    [[head(...Array.from({ length: 101 }, (_, n) => `X-${n}: y`))], /too long/],
    [["HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Type: text/html\r\n\r\nx"], /text\/html/],
  ];
  for (const [pieces, reason] of responses) assert.match((await fetchFrom(pieces)).text, reason);
});

Deno.test("openSampleFile() fails on a server that does not go on, and on one that is not there", async () => {
  await withRawServer(() => {}, async (url) => {
    const result = await openSampleFile({ url, format: "IMAGE" }, { timeoutMs: 50, allowPrivate: true });
    assert.match(String(result), /within 0\.05 seconds/);
  });
  const gone = { url: `http://127.0.0.1:${closedPort()}/a.png`, format: "IMAGE" as const };
  assert.match(String(await openSampleFile(gone, LOCAL)), /No connection/);
});

Deno.test("openSampleFile() goes to the address it checked, and to no private one", async () => {
  const sample = { url: "https://files.example/a.png", format: "IMAGE" as const };
  for (const address of ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1"]) {
    const options = { timeoutMs: 1000, allowPrivate: false, resolve: () => Promise.resolve([address]) };
    assert.match(String(await openSampleFile(sample, options)), /not a public one/);
  }
  const unknown = { timeoutMs: 1000, allowPrivate: false, resolve: () => Promise.reject(new Error("no")) };
  assert.match(String(await openSampleFile(sample, unknown)), /could not be resolved/);
});
