import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { checkImports } from "./check_imports.ts";

const SHARED = "supabase/functions/_shared";

/** Writes a small tree (path → text) with a config of its own, checks it and removes it. */
async function check(files: Record<string, string>): Promise<string[]> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  try {
    const importMap = {
      imports: {
        postgres: "npm:postgres@3.4.9",
        "@supabase/supabase-js": "npm:@supabase/supabase-js@2.119.0",
      },
    };
    const tree = {
      "deno.json": JSON.stringify({ importMap: "./import_map.json", nodeModulesDir: "none" }),
      "import_map.json": JSON.stringify(importMap),
      ...files,
    };
    for (const [path, text] of Object.entries(tree)) {
      await Deno.mkdir(dirname(join(root, path)), { recursive: true });
      await Deno.writeTextFile(join(root, path), text);
    }
    return await checkImports(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("checkImports() accepts the order of the house", async () => {
  const violations = await check({
    "supabase/functions/notify/index.ts": `import "./app.ts"; Deno.env.toObject();`,
    "supabase/functions/notify/app.ts": `import "./post.ts";`,
    "supabase/functions/notify/post.ts":
      `import "../_shared/http/body.ts"; import "../_shared/campaigns/accept.ts";`,
    "supabase/functions/main/app.ts": `import "../health/app.ts";`,
    "supabase/functions/health/app.ts": `export default { fetch(request: Request) { return request; } };`,
    [`${SHARED}/http/body.ts`]: `import "../errors.ts";`,
    [`${SHARED}/campaigns/accept.ts`]: `import "../db/insert.ts"; import "../gateways/send.ts";`,
    [`${SHARED}/db/insert.ts`]: `import postgres from "postgres"; import "../errors.ts"; postgres();`,
    [`${SHARED}/gateways/send.ts`]: `export const send = () => fetch("https://example.com");`,
    [`${SHARED}/access/users.ts`]:
      `import { createClient } from "@supabase/supabase-js"; createClient("", "");`,
    [`${SHARED}/errors.ts`]: `export const code = 1;`,
    "local/start.ts": `import "../cli/serve.ts"; import "../${SHARED}/errors.ts"; Deno.env.get("PORT");`,
    "cli/serve.ts": `import "../supabase/functions/notify/app.ts"; fetch("http://localhost");`,
    "tests/any_test.ts": `import "../local/start.ts"; Deno.env.get("HOME"); Deno.test("any", () => {});`,
    "tests/setup/stack.ts": `Deno.test.beforeAll(() => {}); export const read = fetch("http://localhost");`,
  });

  assert.deepEqual(violations, []);
});

Deno.test("checkImports() keeps SQL and its driver in _shared/db and cli/migrations", async () => {
  const query = "export const read = (sql: (text: TemplateStringsArray) => unknown) => sql`select 1`;";
  const violations = await check({
    [`${SHARED}/db/companies.ts`]: query,
    [`${SHARED}/campaigns/plan.ts`]: query.replace("=> sql`", "=> ({ sql }).sql`"),
    "cli/migrations/apply.ts": `import postgres from "postgres"; postgres(); ${query}`,
    "cli/company/actions.ts": `import postgres from "postgres"; postgres().unsafe("select 1");`,
    "cli/company/commands.ts": query,
    "local/auth/users.ts": query,
  });

  const rule = "SQL: queries are written only in _shared/db and cli/migrations";
  assert.deepEqual(violations, [
    "cli/company/actions.ts → npm:postgres@3.4.9: postgres is loaded only in _shared/db and cli/migrations",
    `cli/company/actions.ts:1 → ${rule}`,
    `cli/company/commands.ts:1 → ${rule}`,
    `${SHARED}/campaigns/plan.ts:1 → ${rule}`,
  ]);
});

Deno.test("checkImports() wants tests declared where reports look for them", async () => {
  const violations = await check({
    "tests/setup/both_ways.ts": `export const both = () => Deno.test("both", () => {});`,
  });

  assert.deepEqual(violations, [
    "tests/setup/both_ways.ts:1 → Deno.test: tests are declared only in _test.ts files, by which reports name them",
  ]);
});

Deno.test("checkImports() reports a loop once, with its files", async () => {
  const violations = await check({
    "cli/a.ts": `import "./b.ts"; export const a = 1;`,
    "cli/b.ts": `import "./c.ts";`,
    "cli/c.ts": `import { a } from "./a.ts"; export const c = a;`,
  });

  assert.deepEqual(violations, ["cli/a.ts → cli/b.ts → cli/c.ts → cli/a.ts: import loop"]);
});

Deno.test("checkImports() counts type-only imports in loops", async () => {
  const violations = await check({
    "cli/a.ts": `import { b } from "./b.ts"; export type A = string; export const a = b;`,
    "cli/b.ts": `import type { A } from "./a.ts"; export const b: A = "";`,
  });

  assert.deepEqual(violations, ["cli/a.ts → cli/b.ts → cli/a.ts: import loop"]);
});

Deno.test("checkImports() keeps the product away from everything around it", async () => {
  const violations = await check({
    [`${SHARED}/one.ts`]: `import type { L } from "../../../local/x.ts"; export type O = L;`,
    "supabase/functions/health/app.ts": `import "../../../cli/x.ts"; import "../../../bench/x.ts";`,
    "local/x.ts": `import "../tests/x.ts"; export type L = string;`,
    "cli/x.ts": `import "../local/y.ts";`,
    "local/y.ts": "",
    "bench/x.ts": "",
    "tests/x.ts": "",
  });

  assert.deepEqual(violations, [
    "cli/x.ts → local/y.ts: cli/ never imports local/",
    "local/x.ts → tests/x.ts: local/ never imports tests/",
    `${SHARED}/one.ts → local/x.ts: supabase/ never imports local/`,
    "supabase/functions/health/app.ts → bench/x.ts: supabase/ never imports bench/",
    "supabase/functions/health/app.ts → cli/x.ts: supabase/ never imports cli/",
  ]);
});

Deno.test("checkImports() keeps functions apart from each other and _shared from all of them", async () => {
  const violations = await check({
    "supabase/functions/health/app.ts": `import "../auth/app.ts";`,
    "supabase/functions/auth/app.ts": "",
    [`${SHARED}/http/app.ts`]: `import type { A } from "../../auth/types.ts"; export type B = A;`,
    "supabase/functions/auth/types.ts": `export type A = string;`,
  });

  assert.deepEqual(violations, [
    `${SHARED}/http/app.ts → supabase/functions/auth/types.ts: _shared never imports a function`,
    "supabase/functions/health/app.ts → supabase/functions/auth/app.ts: only main imports another function",
  ]);
});

Deno.test("checkImports() reports a lower step that imports a higher one", async () => {
  const violations = await check({
    "supabase/functions/auth/route.ts": `import "./app.ts";`,
    "supabase/functions/auth/app.ts": `import "./index.ts";`,
    "supabase/functions/auth/index.ts": "",
    [`${SHARED}/errors.ts`]: `import "./db/x.ts";`,
    [`${SHARED}/db/x.ts`]: `import "../gateways/x.ts";`,
    [`${SHARED}/gateways/x.ts`]: `import "../campaigns/x.ts";`,
    [`${SHARED}/campaigns/x.ts`]: `import "../http/x.ts";`,
    [`${SHARED}/http/x.ts`]: "",
  });

  assert.deepEqual(violations, [
    `${SHARED}/campaigns/x.ts → ${SHARED}/http/x.ts: domain never imports http`,
    `${SHARED}/db/x.ts → ${SHARED}/gateways/x.ts: _shared/db never imports _shared/gateways`,
    `${SHARED}/errors.ts → ${SHARED}/db/x.ts: leaf never imports db or gateway`,
    `${SHARED}/gateways/x.ts → ${SHARED}/campaigns/x.ts: db or gateway never imports domain`,
    "supabase/functions/auth/app.ts → supabase/functions/auth/index.ts: app never imports index",
    "supabase/functions/auth/route.ts → supabase/functions/auth/app.ts: route never imports app",
  ]);
});

Deno.test("checkImports() keeps SQL, supabase-js, fetch and variables in their places", async () => {
  const violations = await check({
    [`${SHARED}/campaigns/x.ts`]:
      `import postgres from "postgres"; import { createClient } from "@supabase/supabase-js"; postgres(); createClient("", "");`,
    [`${SHARED}/http/x.ts`]:
      `// Deno.env\nfetch("https://example.com");\nDeno.env.get("A");\nglobalThis.fetch("");`,
    [`${SHARED}/types.ts`]: `import type postgres from "postgres"; export type Sql = postgres.Sql;`,
    "cli/admin/keys.ts": `Deno.env.get("A");`,
  });

  assert.deepEqual(violations, [
    "cli/admin/keys.ts:1 → Deno.env: variables are read only in env.ts and entry points",
    `${SHARED}/campaigns/x.ts → npm:@supabase/supabase-js@2.119.0: supabase-js is loaded only in _shared/access`,
    `${SHARED}/campaigns/x.ts → npm:postgres@3.4.9: postgres is loaded only in _shared/db and cli/migrations`,
    `${SHARED}/http/x.ts:2 → fetch: outbound requests are made only in _shared/gateways`,
    `${SHARED}/http/x.ts:3 → Deno.env: variables are read only in env.ts and entry points`,
    `${SHARED}/http/x.ts:4 → fetch: outbound requests are made only in _shared/gateways`,
  ]);
});

Deno.test("checkImports() wants packages named in the import map and every file to load", async () => {
  const violations = await check({
    "cli/a.ts": `import postgres from "npm:postgres@3.4.9"; postgres();`,
    "cli/b.ts": `import "./missing.ts";`,
  });

  assert.equal(violations.length, 2);
  assert.equal(violations[0], "cli/a.ts → npm:postgres@3.4.9: packages are named only in import_map.json");
  assert.match(violations[1] ?? "", /^cli\/missing\.ts: /);
});
