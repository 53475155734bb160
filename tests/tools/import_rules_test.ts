import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import plugin from "./import_rules.ts";

const SHARED = "supabase/functions/_shared";
const QUERY = "export const read = (sql: (text: TemplateStringsArray) => unknown) => sql`select 1`;";
const SQL = "SQL: queries are written only in _shared/db and cli/migrations";
const FETCH = "fetch: outbound requests are made only in _shared/gateways";
const ENV = "Deno.env: variables are read only in env.ts and entry points";
const DRIVER = "postgres: postgres is loaded only in _shared/db and cli/migrations";

/** Lints a text as if it were that file, and returns the messages. */
function faults(file: string, text: string): string[] {
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  return Deno.lint.runPlugin(plugin, path, text).map(({ message }) => message);
}

const ALLOWED: [file: string, text: string][] = [
  ["supabase/functions/notify/index.ts", `import "./app.ts"; Deno.env.toObject();`],
  ["supabase/functions/notify/app.ts", `import "./post.ts";`],
  [
    "supabase/functions/notify/post.ts",
    `import "../_shared/http/body.ts"; import "../_shared/campaigns/accept.ts";`,
  ],
  ["supabase/functions/main/app.ts", `import "../health/app.ts";`],
  ["supabase/functions/health/app.ts", `export default { fetch(request: Request) { return request; } };`],
  [`${SHARED}/http/body.ts`, `import "../errors.ts"; import type { A } from "../../_shared/db/a.ts";`],
  [`${SHARED}/campaigns/accept.ts`, `import "../db/insert.ts"; import "../gateways/send.ts";`],
  [`${SHARED}/db/insert.ts`, `import postgres from "postgres"; import "../errors.ts"; ${QUERY}`],
  [`${SHARED}/gateways/send.ts`, `export const send = () => fetch("https://example.com");`],
  [`${SHARED}/access/users.ts`, `import { createClient } from "@supabase/supabase-js";`],
  [`${SHARED}/types.ts`, `import type postgres from "postgres"; // Deno.env`],
  [`${SHARED}/db/types.ts`, `import { type A } from "../http/a.ts"; export type { B } from "../http/b.ts";`],
  ["cli/migrations/apply.ts", `import postgres from "postgres"; ${QUERY}`],
  ["local/auth/users/users.ts", QUERY],
  ["local/start.ts", `import "../cli/serve.ts"; Deno.env.get("PORT");`],
  ["cli/serve.ts", `import "../supabase/functions/notify/app.ts"; fetch("http://localhost");`],
  ["console/a.ts", `import "../${SHARED}/show_controls.js"; import "../sdk/a.ts";`],
  ["tests/any_test.ts", `import "../local/start.ts"; Deno.env.get("HOME"); Deno.test("any", () => {});`],
  ["tests/setup/stack/stack.ts", `Deno.test.beforeAll(() => {}); fetch("http://localhost");`],
];

const REFUSED: [file: string, text: string, faults: string[]][] = [
  ["cli/company/actions.ts", `import postgres from "postgres"; postgres().unsafe("select 1");`, [
    DRIVER,
    SQL,
  ]],
  ["cli/company/commands.ts", QUERY, [SQL]],
  [`${SHARED}/campaigns/plan.ts`, QUERY.replace("=> sql`", "=> ({ sql }).sql`"), [SQL]],
  ["tests/setup/both_ways.ts", `Deno.test("both", () => {});`, [
    "Deno.test: tests are declared only in _test.ts files, by which reports name them",
  ]],
  [`${SHARED}/one.ts`, `import type { L } from "../../../local/x.ts";`, [
    "local/x.ts: supabase/ never imports local/",
  ]],
  ["supabase/functions/health/app.ts", `import "../../../cli/x.ts"; await import("../../../bench/x.ts");`, [
    "cli/x.ts: supabase/ never imports cli/",
    "bench/x.ts: supabase/ never imports bench/",
  ]],
  ["local/x.ts", `export * from "../tests/x.ts";`, ["tests/x.ts: local/ never imports tests/"]],
  ["cli/x.ts", `import "../dev/x.ts";`, ["dev/x.ts: cli/ never imports dev/"]],
  [`${SHARED}/x.ts`, `type A = import("../../../ops/x.ts").A; await import(\`../../../docs/x.ts\`);`, [
    "ops/x.ts: supabase/ never imports ops/",
    "docs/x.ts: supabase/ never imports docs/",
  ]],
  ["supabase/functions/health/app.ts", `import "../auth/app.ts";`, [
    "supabase/functions/auth/app.ts: only main imports another function",
  ]],
  [`${SHARED}/http/app.ts`, `import type { A } from "../../auth/types.ts";`, [
    "supabase/functions/auth/types.ts: _shared never imports a function",
  ]],
  ["supabase/functions/auth/route.ts", `import "./app.ts";`, [
    "supabase/functions/auth/app.ts: route never imports app",
  ]],
  ["supabase/functions/auth/app.ts", `import "./index.ts";`, [
    "supabase/functions/auth/index.ts: app never imports index",
  ]],
  [`${SHARED}/errors.ts`, `import { x } from "./db/x.ts";`, [
    `${SHARED}/db/x.ts: leaf never imports db or gateway`,
  ]],
  [`${SHARED}/db/x.ts`, `export { x } from "../gateways/x.ts";`, [
    `${SHARED}/gateways/x.ts: _shared/db never imports _shared/gateways`,
  ]],
  [`${SHARED}/gateways/x.ts`, `import "../campaigns/x.ts";`, [
    `${SHARED}/campaigns/x.ts: db or gateway never imports domain`,
  ]],
  [`${SHARED}/campaigns/x.ts`, `import { type A, b } from "../http/x.ts";`, [
    `${SHARED}/http/x.ts: domain never imports http`,
  ]],
  [`${SHARED}/campaigns/x.ts`, `import postgres from "postgres"; import "@supabase/supabase-js";`, [
    DRIVER,
    "@supabase/supabase-js: supabase-js is loaded only in _shared/access",
  ]],
  [`${SHARED}/http/x.ts`, `fetch("https://example.com"); Deno.env.get("A"); globalThis.fetch("");`, [
    ...[FETCH, ENV, FETCH],
  ]],
  ["cli/admin/keys.ts", `Deno.env.get("A");`, [ENV]],
  ["cli/a.ts", `import postgres from "npm:postgres@3.4.9";`, [
    "npm:postgres@3.4.9: packages are named only in import_map.json",
  ]],
];

for (const [file, text] of ALLOWED) {
  Deno.test(`deno lint takes ${text} in ${file}`, () => assert.deepEqual(faults(file, text), []));
}

for (const [file, text, expected] of REFUSED) {
  Deno.test(`deno lint refuses ${text} in ${file}`, () => assert.deepEqual(faults(file, text), expected));
}
