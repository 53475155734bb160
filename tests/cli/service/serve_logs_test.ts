import assert from "node:assert/strict";
import { routesOf, rubbish } from "./public_routes.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertCompany, insertKey } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { freePort } from "../../setup/database/postgres_cluster.ts";
import { SETTINGS } from "./production_settings.ts";
import { runCommand } from "./run_command.ts";

interface Served {
  port: number;
  key: string;
  /** Every line that the process has logged, parsed. */
  lines(): JsonObject[];
}

/** Calls `fn` with `deno task serve`, then stops it; nothing may be on standard error. */
async function whileServing(fn: (served: Served) => Promise<void>): Promise<void> {
  await withTestDatabase(async ({ sql, url }) => {
    const company = await insertCompany(sql);
    const { key } = await insertKey(sql, company.id);
    const port = freePort();
    // Where its own probes of the webhook arrive.
    const own = { PORT: String(port), OUTBOUND_PUBLIC_URL: `http://127.0.0.1:${port}` };
    const env = {
      ...SETTINGS,
      ...own,
      DATABASE_URL: url,
      ELEVENLABS_WEBHOOK_SECRET: "voice-secret",
      OUTBOUND_DISPATCH_SECRET: "dispatch-secret-1",
    };
    const serve = await runCommand("serve", env, /Listening on .*\n/);
    try {
      await fn({
        port,
        key,
        lines: () => serve.output.split("\n").slice(1, -1).map((line) => JSON.parse(line)),
      });
    } finally {
      assert.equal(await serve.stop("SIGTERM"), 0);
    }
    assert.equal(await serve.errors, "");
  });
}

/** Sends part of a request on a connection of its own, and closes it. */
async function breakOff(port: number, text: string): Promise<void> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(text));
  // Read, so that the request has begun when the connection breaks; most get no response.
  const answered = connection.read(new Uint8Array(1024)).catch(() => null);
  await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 30))]);
  connection.close();
  await answered;
}

function errorsIn(lines: JsonObject[]): JsonObject[] {
  return lines.filter(({ level }) => level === "error");
}

Deno.test("an upload that breaks off, on any route, is no error in the log", () =>
  whileServing(async ({ port, key, lines }) => {
    const routes = (await routesOf(port)).filter(({ method }) => method !== "GET");
    assert.ok(routes.length > 30);
    for (const { method, path } of routes) {
      const head =
        `${method} ${path}?access_key=${key} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
        `X-Hub-Signature-256: sha256=${"0".repeat(64)}\r\nAuthorization: Bearer ${"a".repeat(43)}\r\n`;
      await breakOff(port, `${head}Content-Length: 1000\r\n\r\n{"contact":`);
      await breakOff(port, `${head}Content-Length: 60000\r\n\r\n{"contact":`);
      await breakOff(port, `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":`);
    }
    // The last of them is over.
    await eventually(() => assert.ok(lines().length >= routes.length));

    assert.deepEqual(errorsIn(lines()), []);
  }));

Deno.test("rubbish on any route is no error in the log", () =>
  whileServing(async ({ port, key, lines }) => {
    for (const { method, path } of await routesOf(port)) {
      for (const { query, headers, body } of rubbish(key)) {
        const response = await fetch(`http://127.0.0.1:${port}${path}${query}`, {
          method,
          headers,
          ...method !== "GET" && { body },
        });
        await response.body?.cancel();
        assert.ok(
          response.status < 500 || response.status >= 502,
          `${method} ${path}${query}: ${response.status}`,
        );
      }
    }
    await eventually(() => assert.ok(lines().length > 300));

    assert.deepEqual(errorsIn(lines()), []);
    assert.ok(lines().every(({ time, level, message }) => time && level && message));
    assert.ok(
      lines().filter(({ message }) => message === "request").every(({ request_id }) =>
        /^req_/.test(request_id)
      ),
    );
  }));
