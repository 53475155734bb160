import assert from "node:assert/strict";
import { sendStream } from "../../../supabase/functions/_shared/gateways/send_stream.ts";
import { closedPort, withHttpServer, withRawServer, write } from "./local_server.ts";

const MEGABYTE = 1024 * 1024;
const NEVER = new AbortController().signal;

/** A body of zeroes that counts what was taken from it. */
function createBody(length: number, pieceLength = 64 * 1024) {
  const body = {
    taken: 0,
    cancelled: false,
    stream: new ReadableStream<Uint8Array>({
      pull(controller) {
        if (body.taken === length) return controller.close();
        const size = Math.min(pieceLength, length - body.taken);
        body.taken += size;
        controller.enqueue(new Uint8Array(size));
      },
      cancel: () => void (body.cancelled = true),
    }, { highWaterMark: 0 }),
  };
  return body;
}

Deno.test("sendStream() sends a stream with its length, and reads no further ahead than the network holds", async () => {
  const length = 64 * MEGABYTE;
  const body = createBody(length);
  let [read, farthest] = [0, 0];
  await withHttpServer(async (request) => {
    for await (const piece of request.body!) {
      read += piece.length;
      farthest = Math.max(farthest, body.taken - read);
    }
    return Response.json({ length: request.headers.get("content-length"), token: request.headers.get("x") });
  }, async (url) => {
    const response = await sendStream(url, { headers: { x: "y" }, body: body.stream, length, signal: NEVER });

    assert.deepEqual(await response.json(), { length: String(length), token: "y" });
  });
  assert.equal(read, length);
  assert.ok(farthest < 24 * MEGABYTE, `${farthest} bytes ahead`);
});

Deno.test("sendStream() returns a response that comes before the end of the body", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const responding = (async () => {
    const connection = await listener.accept();
    await connection.read(new Uint8Array(1024));
    await write(connection, "HTTP/1.1 413 Too Large\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nno");
    connection.close();
  })();
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(1)),
  });
  const url = `http://127.0.0.1:${listener.addr.port}`;

  const response = await sendStream(url, { headers: {}, body: endless, length: 9, signal: NEVER });

  const { status, headers } = response;
  assert.deepEqual([status, headers.get("retry-after"), await response.text()], [413, "7", "no"]);
  await responding;
  listener.close();
});

Deno.test("sendStream() rejects when there is no listener, when the body breaks, and when it is stopped", async () => {
  const options = { headers: {}, length: 9, signal: NEVER };
  const gone = `http://127.0.0.1:${closedPort()}`;
  await assert.rejects(sendStream(gone, { ...options, body: createBody(9).stream }));

  await withRawServer(() => {}, async (url) => {
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error("broken")),
    });
    await assert.rejects(sendStream(url, { ...options, body: broken }));

    const stop = new AbortController();
    const waiting = sendStream(url, { ...options, body: createBody(9).stream, signal: stop.signal });
    stop.abort();
    await assert.rejects(waiting);
    await assert.rejects(sendStream(url, { ...options, body: createBody(9).stream, signal: stop.signal }));
  });
});

Deno.test("sendStream() ends the response as well when it is stopped", async () => {
  const stop = new AbortController();
  await withRawServer(async (connection) => {
    await write(connection, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbeginning");
  }, async (url) => {
    const options = { headers: {}, body: createBody(9).stream, length: 9, signal: stop.signal };
    const response = await sendStream(url, options);
    const reading = response.text();

    stop.abort();

    await assert.rejects(reading);
  });
});
