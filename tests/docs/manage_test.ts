import assert from "node:assert/strict";
import type { JsonObject } from "../setup/http.ts";
import { readDocument, withServices } from "../setup/services.ts";
import { readPage } from "./read_page.ts";

const ROOT = "/manage/companies/{company_id}";

Deno.test("docs/manage.md lists every endpoint below a company with its role, and no other", () =>
  withServices(async ({ app }) => {
    const { paths } = await readDocument(app) as JsonObject;
    const documented = Object.entries<Record<string, JsonObject>>(paths)
      .filter(([path]) => path.startsWith(`${ROOT}/`))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) =>
          `${method.toUpperCase()} ${path.slice(ROOT.length)} ${operation["x-role"]}`
        )
      );

    const page = await readPage("docs/manage.md");
    const rows = page.matchAll(/^\| `([A-Z]+ \/\S*)` +\| `(\w+)` +\|/gm);
    const listed = [...rows].map(([, endpoint, role]) => `${endpoint} ${role}`);

    assert.ok(documented.length > 0);
    assert.deepEqual(listed.sort(), documented.sort());
  }));
