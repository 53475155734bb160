import assert from "node:assert/strict";
import { AppError } from "../../../supabase/functions/_shared/errors.ts";
import { scanFile } from "../../../supabase/functions/_shared/gateways/scan_file.ts";
import { withRawServer, write } from "./local_server.ts";

const TIMEOUT_MS = 50;

/** A file larger than what the network holds. `cancelled` resolves when it is read no further. */
function largeFile() {
  const length = 64 * 1024 * 1024;
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
    cancel: () => resolve(),
  }, { highWaterMark: 0 });
  return { file: { type: "application/pdf", length, body }, cancelled };
}

function smallFile() {
  return { type: "application/pdf", length: 4, body: new Blob(["%PDF"]).stream() };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === "service_unavailable" &&
    error.details?.service === "scanner";
}

const SCANNERS: Record<string, (connection: Deno.Conn) => Promise<void> | void> = {
  "that never responds": () => {},
  "that stops in the middle of its response": (connection) =>
    write(connection, 'HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{"clean"'),
};

for (const [what, respond] of Object.entries(SCANNERS)) {
  Deno.test(`scanFile() does not wait for a scanner ${what}`, () =>
    withRawServer(respond, async (url) => {
      await assert.rejects(scanFile(url, smallFile(), { timeoutMs: TIMEOUT_MS }), isUnavailable);
    }));
}

Deno.test("scanFile() does not wait for a scanner whose response trickles in", async () => {
  let pace: ReturnType<typeof setInterval> | undefined;
  await withRawServer(async (connection) => {
    await write(connection, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n");
    pace = setInterval(() => void write(connection, " ").catch(() => {}), TIMEOUT_MS / 10);
  }, async (url) => {
    await assert.rejects(scanFile(url, smallFile(), { timeoutMs: TIMEOUT_MS }), isUnavailable);
    clearInterval(pace);
  });
});

Deno.test("scanFile() stops reading a file that the scanner does not take", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { file, cancelled } = largeFile();
  const accepting = listener.accept();
  const url = `http://127.0.0.1:${listener.addr.port}`;

  await assert.rejects(scanFile(url, file, { timeoutMs: TIMEOUT_MS }), isUnavailable);

  await cancelled;
  (await accepting).close();
  listener.close();
});

Deno.test("scanFile() stops reading a file whose verdict is there, though the scanner leaves the connection open", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { file, cancelled } = largeFile();
  const url = `http://127.0.0.1:${listener.addr.port}`;
  const responding = (async () => {
    const connection = await listener.accept();
    await connection.read(new Uint8Array(1024));
    await write(connection, 'HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{"clean": false}');
    return connection;
  })();

  await assert.rejects(scanFile(url, file), /does not let this file through/);

  await cancelled;
  (await responding).close();
  listener.close();
});
