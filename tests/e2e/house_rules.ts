import assert from "node:assert/strict";
import { BASE_PATH, type SeenAnswer } from "../setup/http/http.ts";

/**
 * Checks the rules that hold for every response in every test: a request id, an error body in one of the contract's
 * two shapes, rate limit headers where they belong, nothing of the service's inside, and no secret in the log.
 */
export function assertHouseRules(seen: SeenAnswer[], logs: string[], secrets: string[]): void {
  for (const response of seen) {
    const label = `${response.method} ${pathOf(response)} ${response.status}: ${
      JSON.stringify(response.body)
    }`;
    assert.match(response.headers.get("x-request-id") ?? "", /^req_[0-9a-f]{32}$/, label);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff", label);
    assert.doesNotMatch(JSON.stringify(response.body) ?? "", INSIDE, label);
    assert.ok(response.status < 500 || response.status >= 502, label);
    if (response.status >= 400 && response.method !== "HEAD") assertErrorShape(response, label);
    assertRateHeaders(response, label);
  }
  for (const line of logs) {
    const leaked = secrets.filter((secret) => line.includes(secret));
    assert.deepEqual(leaked, [], `a secret in the log: ${line}`);
  }
}

/** Traces of a stack, of SQL or of the driver. */
const INSIDE =
  /\bat .+\.ts:\d|node_modules|\.ts:\d+:\d+|\bSQLSTATE\b|PostgresError|\boutbound\.[a-z_]+\b|pg_catalog/i;

function assertErrorShape({ body, headers, path, status }: SeenAnswer, label: string): void {
  const error = body as Record<string, unknown>;
  if (pathOf({ path }) === "/health") return;
  if ("success" in error) {
    const { success, message, deniedCompanies, details, ...rest } = error;
    assert.deepEqual([success, typeof message, rest], [false, "string", {}], label);
    assert.equal(details !== undefined, status === 503, label);
    assert.ok(deniedCompanies === undefined || Array.isArray(deniedCompanies), label);
    return;
  }
  const { error: code, message, details = {}, request_id, retry_after, ...rest } = error;
  assert.deepEqual(
    [typeof code, typeof message, typeof details, rest],
    ["string", "string", "object", {}],
    label,
  );
  assert.equal(request_id, headers.get("x-request-id"), label);
  assert.equal(headers.get("retry-after"), retry_after === undefined ? null : String(retry_after), label);
}

const LIMITED: Record<string, string[]> = {
  "/notify": ["POST"],
  "/notify/voice": ["POST"],
  "/notify/templates": ["GET"],
  "/notify/template/components": ["GET"],
  "/admin/chatapp/create/template": ["POST"],
  "/voice-widget/handoff/join": ["POST"],
};

/** A limited endpoint reports the rate to every known key; other endpoints, and those for a user's token, never do. */
function assertRateHeaders({ method, path, status, headers, body }: SeenAnswer, label: string): void {
  // Its key is in a header, which this record of a response leaves out.
  if (pathOf({ path }) === "/mcp") return;
  const rates = [headers.get("ratelimit"), headers.get("ratelimit-policy")];
  const keyKnown = (LIMITED[pathOf({ path })]?.includes(method) || isOperators(path) || isOfCompany(path)) &&
    ![401, 503].includes(status) && !JSON.stringify(body ?? "").includes("wrong credentials") &&
    !path.includes("%00") && path.includes("access_key=");
  if (!keyKnown) return assert.deepEqual(rates, [null, null], label);
  assert.match(rates[0] ?? "", /^"requests";r=\d+;t=[1-9]\d*$/, label);
  assert.match(rates[1] ?? "", /^"requests";q=[1-9]\d*;w=60$/, label);
}

/** Operators come to a conversation with the company's key, visitors with a token. */
function isOperators(path: string): boolean {
  return /\/widget\/conversations\/[^/]+\/[\w/-]+\?(.*&)?access_key=./.test(path);
}

function isOfCompany(path: string): boolean {
  return pathOf({ path }).startsWith("/manage/companies/");
}

function pathOf({ path }: Pick<SeenAnswer, "path">): string {
  return path.slice(BASE_PATH.length).replace(/\?.*/, "");
}
