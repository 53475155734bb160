import assert from "node:assert/strict";
import { servicesOfAllCells } from "../../supabase/functions/_shared/services.ts";
import { eventually } from "../setup/eventually.ts";
import { BASE_PATH } from "../setup/http/http.ts";
import { dispatchAll } from "../setup/stack/dispatch_all.ts";
import { assertRefused } from "./assert_refused.ts";
import { notifyBody } from "../setup/fixtures/notify_body.ts";
import { withApi } from "./with_api.ts";

/** Every endpoint and the methods it takes. */
const ENDPOINTS: Record<string, string> = {
  "/auth": "POST",
  "/api_keys": "POST",
  "/notify": "POST",
  "/notify/status": "GET",
  "/notify/templates": "GET",
  "/notify/template/components": "GET",
  "/admin/chatapp/create/template": "POST",
  "/webhooks/whatsapp": "GET, POST",
  "/dispatch": "POST",
  "/mcp": "POST",
  "/health": "GET",
  "/openapi": "GET",
  "/openapi.json": "GET",
};

Deno.test("an endpoint responds with 405 and Allow to a method that it does not take", () =>
  withApi(async ({ http }) => {
    for (const [path, allowed] of Object.entries(ENDPOINTS)) {
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        if (allowed.split(", ").includes(method)) continue;
        const response = await http.request(method, path);
        assertRefused(response, { status: 405, error: "method_not_allowed" }, `${method} ${path}`);
        assert.equal(response.headers.get("allow"), allowed, `${method} ${path}`);
      }
    }
  }));

const UNKNOWN = ["/", "/nothing", "/notify/nothing", "/notifyx", "/auth/x", "/api_keys/1", "/notify//status"]
  .concat(
    "/constructor",
    "/__proto__",
    "/toString",
    "/%2e%2e/etc",
    "/Notify",
    "/webhooks",
    "/admin",
    "/admin/chatapp",
    "/%E0%A4%A",
  );

Deno.test("a path that does not exist gets a 404 whatever the method", () =>
  withApi(async ({ http }) => {
    for (const path of UNKNOWN) {
      for (const method of ["GET", "POST", "DELETE"]) {
        assertRefused(
          await http.request(method, path),
          { status: 404, error: "not_found" },
          `${method} ${path}`,
        );
      }
    }
  }));

Deno.test("every path outside the root gets a 404", () =>
  withApi(async ({ url }) => {
    for (
      const path of ["/", "/functions", "/functions/v1", "/functions/v2/health", "/.env", "/favicon.ico"]
    ) {
      const response = await fetch(url + path);
      const body = await response.json();
      assert.deepEqual([response.status, body.error], [404, "not_found"], path);
    }
  }));

Deno.test("HEAD gets the same response as GET, without a body", () =>
  withApi(async ({ url, key }) => {
    const paths = [
      "/health",
      `/notify/templates?access_key=${key.key}&phone_number=1`,
      "/notify/status",
      "/nothing",
    ];
    for (const path of paths) {
      const get = await fetch(url + BASE_PATH + path);
      const head = await fetch(url + BASE_PATH + path, { method: "HEAD" });
      await get.body?.cancel();
      assert.equal(await head.text(), "", path);
      assert.deepEqual([head.status, head.headers.get("content-type")], [
        get.status,
        get.headers.get("content-type"),
      ]);
    }
    const head = await fetch(`${url}${BASE_PATH}/notify`, { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("allow")], [405, "POST"]);
  }));

const MIB = 1024 * 1024;

/** JSON of exactly `size` bytes. */
function padded(body: unknown, size: number): string {
  const text = JSON.stringify(body);
  return text + " ".repeat(size - text.length);
}

Deno.test("a body of 1 MiB is taken, one byte more gets a 413", () =>
  withApi(async (api) => {
    const options = (size: number) => ({
      query: { access_key: api.key.key },
      headers: { "content-type": "application/json" },
      rawBody: padded(notifyBody(api), size),
    });

    assert.equal((await api.http.post("/notify", undefined, options(MIB))).status, 200);
    assertRefused(await api.http.post("/notify", undefined, options(MIB + 1)), {
      status: 413,
      error: "payload_too_large",
      details: { limit_bytes: MIB },
    });
  }));

Deno.test("a body that is too large gets a 413 even when it does not state its length", () =>
  withApi(async (api) => {
    const chunk = new TextEncoder().encode(" ".repeat(64 * 1024));
    let sent = 0;
    const rawBody = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(chunk);
        sent += chunk.byteLength;
        if (sent > 2 * MIB) controller.close();
      },
    });
    const headers = { "content-type": "application/json" };
    const response = await api.http.post("/auth", undefined, {
      query: { grant_type: "password" },
      headers,
      rawBody,
    });

    assertRefused(response, { status: 413, error: "payload_too_large" });
  }));

Deno.test("the request id is new for each request, and in the log", () =>
  withApi(async ({ http, logs, key }) => {
    const responses = await Promise.all([1, 2, 3].map(() =>
      http.get("/notify/templates", {
        query: { access_key: key.key },
      })
    ));

    const ids = responses.map(({ headers }) => headers.get("x-request-id"));
    assert.equal(new Set(ids).size, 3);
    for (const id of ids) {
      const line = JSON.parse(logs.find((text) => text.includes(id!)) ?? "{}");
      const { method, route, status, company_id } = line;
      assert.deepEqual({ method, route, status, company_id }, {
        method: "GET",
        route: "/notify/templates",
        status: 400,
        company_id: key.company_id,
      });
      assert.equal(typeof line.ms, "number");
    }
  }));

Deno.test("no endpoint but the widgets' lets a page of another origin read its responses", () =>
  withApi(async ({ http, key }) => {
    for (const path of Object.keys(ENDPOINTS)) {
      const headers = { origin: "https://elsewhere.example" };
      const { headers: responseHeaders } = await http.get(path, { headers, query: { access_key: key.key } });
      assert.equal(responseHeaders.get("access-control-allow-origin"), null, path);
    }
  }));

Deno.test("GET /health reports that the database responds and whether a dispatcher runs", () =>
  withApi(async ({ http, services }) => {
    const before = await http.get("/health");
    await Promise.all(servicesOfAllCells(services).map(dispatchAll));
    const others = servicesOfAllCells(services).slice(1).map(({ cell }) => ({
      ...{ number: cell, database: "ok", state: "active", dispatcher: "running" },
    }));

    assert.deepEqual([before.status, before.body.dispatcher], [200, "stopped"]);
    await eventually(async () => {
      const { version, ...rest } = (await http.get("/health")).body;
      assert.deepEqual(rest, {
        ...{ status: "ok", database: "ok", dispatcher: "running", outages: [] },
        cell: { number: 0, state: "active" },
        ...(others.length > 0 && { cells: others }),
      });
      assert.match(version, /^\d+\.\d+\.\d+$/);
    });
  }));

Deno.test("POST /dispatch starts only for a caller that knows the secret", () =>
  withApi(async ({ http, notify, env, sandbox }) => {
    await notify();
    const post = (authorization?: string) =>
      http.post("/dispatch", undefined, { headers: authorization === undefined ? {} : { authorization } });

    for (
      const header of [undefined, "", "Bearer ", "Bearer nonsense", `Basic ${env.OUTBOUND_DISPATCH_SECRET}`]
    ) {
      assertRefused(await post(header), { status: 401, error: "unauthorized" }, header);
    }
    assert.equal((await sandbox.messages()).length, 0);
    assert.equal((await post(`Bearer ${env.OUTBOUND_DISPATCH_SECRET}`)).status, 202);
    await eventually(async () => assert.equal((await sandbox.messages()).length, 1));
  }));
