import assert from "node:assert/strict";
import { fetchSampleFile } from "../../../../supabase/functions/_shared/gateways/sample_file/fetch_sample_file.ts";
import { closedPort, withRawServer, write } from "../local_server.ts";

const LOCAL = { timeoutMs: 2000, allowPrivate: true };

/** Fetches an image from a server that writes exactly `pieces` and closes. */
async function fetchFrom(pieces: string[], options = LOCAL) {
  let result: Awaited<ReturnType<typeof fetchSampleFile>> = "nothing";
  await withRawServer(async (connection) => {
    for (const piece of pieces) await write(connection, piece);
    connection.close();
  }, async (url) => {
    result = await fetchSampleFile({ url: `${url}/a.png`, format: "IMAGE" }, options);
  });
  return result as Awaited<ReturnType<typeof fetchSampleFile>>;
}

const head = (...lines: string[]) =>
  ["HTTP/1.1 200 OK", "Content-Type: image/png", ...lines, "", ""].join("\r\n");

function textOf(result: Awaited<ReturnType<typeof fetchSampleFile>>): string {
  return typeof result === "string" ? result : new TextDecoder().decode(result.bytes);
}

Deno.test("fetchSampleFile() reads a body by its length, in chunks, or to the end", async () => {
  const bodies = [
    [head("Content-Length: 5"), "hello", "more"],
    [head("content-length: 5"), "he", "llo"],
    [head("Transfer-Encoding: chunked"), "2;x=y\r\nhe\r\n3\r", "\nllo\r\n0\r\n\r\n"],
    [head(), "hel", "lo"],
    ["HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n", head("Content-Length: 5"), "hello"],
  ];
  for (const pieces of bodies) {
    assert.deepEqual(await fetchFrom(pieces), {
      bytes: new TextEncoder().encode("hello"),
      type: "image/png",
      name: "sample.png",
    });
  }
});

Deno.test("fetchSampleFile() tells what is wrong with an answer", async () => {
  const answers: [pieces: string[], reason: RegExp][] = [
    [["nonsense\r\n\r\n"], /not HTTP/],
    [[""], /broke/],
    [[head("Content-Length: 9"), "short"], /broke before the whole/],
    [[head("Content-Length: 99999999999")], /larger than 5 MB/],
    [[head("Content-Length: -1")], /not HTTP/],
    [[head("Transfer-Encoding: chunked"), "zz\r\n"], /not HTTP/],
    [[head("Transfer-Encoding: chunked"), "fffffff\r\n"], /larger than 5 MB/],
    [[head(`X: ${"x".repeat(9000)}`)], /too long/],
    [[head(...Array.from({ length: 101 }, (_, n) => `X-${n}: y`))], /too long/],
    [["HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Type: text/html\r\n\r\nx"], /text\/html/],
  ];
  for (const [pieces, reason] of answers) assert.match(textOf(await fetchFrom(pieces)), reason);
});

Deno.test("fetchSampleFile() gives up on a server that does not go on, and on one that is not there", async () => {
  await withRawServer(() => {}, async (url) => {
    const result = await fetchSampleFile({ url, format: "IMAGE" }, { timeoutMs: 50, allowPrivate: true });
    assert.match(textOf(result), /within 0\.05 seconds/);
  });
  const gone = { url: `http://127.0.0.1:${closedPort()}/a.png`, format: "IMAGE" as const };
  assert.match(textOf(await fetchSampleFile(gone, LOCAL)), /No connection/);
});

Deno.test("fetchSampleFile() goes to the address it checked, and to no private one", async () => {
  const sample = { url: "https://files.example/a.png", format: "IMAGE" as const };
  for (const address of ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1"]) {
    const options = { timeoutMs: 1000, allowPrivate: false, resolve: () => Promise.resolve([address]) };
    assert.match(textOf(await fetchSampleFile(sample, options)), /not a public one/);
  }
  const unknown = { timeoutMs: 1000, allowPrivate: false, resolve: () => Promise.reject(new Error("no")) };
  assert.match(textOf(await fetchSampleFile(sample, unknown)), /could not be resolved/);
});
