import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import plugin from "./import_rules.ts";

const SHARED = "supabase/functions/_shared";

/** A fault of each rule. The tree, which `deno lint` reads, shows what the rules allow. */
const REFUSED: [file: string, text: string, fault: string][] = [
  [`${SHARED}/a.ts`, `import type { L } from "../../../local/x.ts";`, "supabase/ never imports local/"],
  ["local/a.ts", `export * from "../tests/x.ts";`, "local/ never imports tests/"],
  ["cli/a.ts", "await import(`../dev/x.ts`);", "cli/ never imports dev/"],
  ["supabase/functions/health/app.ts", `import "../auth/app.ts";`, "only main imports another function"],
  [`${SHARED}/http/a.ts`, `import type { A } from "../../auth/x.ts";`, "_shared never imports a function"],
  ["supabase/functions/auth/route.ts", `import "./app.ts";`, "route never imports app"],
  [`${SHARED}/errors.ts`, `import { x } from "./db/x.ts";`, "leaf never imports db or gateway"],
  [`${SHARED}/db/a.ts`, `export { x } from "../gateways/x.ts";`, "_shared/db never imports _shared/gateways"],
  [`${SHARED}/gateways/a.ts`, `import "../campaigns/x.ts";`, "db or gateway never imports domain"],
  [`${SHARED}/campaigns/a.ts`, `import { type A, b } from "../http/x.ts";`, "domain never imports http"],
  ["cli/company/a.ts", `import "postgres";`, "postgres is loaded only in _shared/db and cli/migrations"],
  [`${SHARED}/campaigns/a.ts`, `import "@supabase/x";`, "auth-js is loaded only in _shared/access"],
  ["cli/a.ts", `import postgres from "npm:postgres@3.4.9";`, "packages are named only in import_map.json"],
  ["cli/a.ts", "context.sql`select 1`;", "queries are written only in _shared/db and cli/migrations"],
  [`${SHARED}/http/a.ts`, `fetch("");`, "outbound requests are made only in _shared/gateways"],
  ["cli/admin/keys.ts", `Deno.env.get("A");`, "variables are read only in env.ts and entry points"],
  [
    "tests/setup/a.ts",
    `Deno.test("a", () => {});`,
    "tests are declared only in _test.ts files, by which reports name them",
  ],
];

for (const [file, text, fault] of REFUSED) {
  Deno.test(`deno lint refuses ${text} in ${file}`, () => {
    const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));

    const messages = Deno.lint.runPlugin(plugin, path, text).map(({ message }) => message);

    assert.deepEqual(messages.map((message) => message.slice(message.lastIndexOf(": ") + 2)), [fault]);
  });
}
