import assert from "node:assert/strict";
import { withPlatform } from "./with_platform.ts";

Deno.test("PUT /sandbox/settings reads a body that comes in chunks", () =>
  withPlatform(async ({ url }) => {
    const response = await putInChunks(url, ['{"read_ms"', ": 4321}"]);

    assert.equal(response.status, 200);
    assert.equal((await response.json()).read_ms, 4321);
  }));

for (const [kind, send] of [["with its length", putWhole], ["in chunks", putInChunks]] as const) {
  Deno.test(`a body over 4 MiB, sent ${kind}, closes the connection, and the next request is served`, () =>
    withPlatform(async ({ url, call }) => {
      await assert.rejects(send(url, Array.from({ length: 5 }, () => " ".repeat(1024 * 1024))), TypeError);

      assert.equal((await call("GET", "/2000")).status, 200);
    }));
}

function putInChunks(url: string, chunks: string[]): Promise<Response> {
  return put(url, ReadableStream.from(chunks).pipeThrough(new TextEncoderStream()));
}

function putWhole(url: string, chunks: string[]): Promise<Response> {
  return put(url, chunks.join(""));
}

function put(url: string, body: BodyInit): Promise<Response> {
  return fetch(`${url}/sandbox/settings`, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body,
  });
}
