import assert from "node:assert/strict";
import type { JsonObject } from "../setup/http/http.ts";
import { listRouteFiles, readRouteFile } from "../setup/http/route_files.ts";
import { readDocument, withServices } from "../setup/stack/services.ts";
import { readPage } from "./read_page.ts";

const ROOT = "/manage/companies/{company_id}";

Deno.test("docs/manage.md lists every endpoint below a company with its role and permission, and no other", () =>
  withServices(async ({ app }) => {
    const { paths } = await readDocument(app) as JsonObject;
    const documented = Object.entries<Record<string, JsonObject>>(paths)
      .filter(([path]) => path.startsWith(`${ROOT}/`))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) =>
          [
            method.toUpperCase(),
            path.slice(ROOT.length),
            operation["x-role"],
            operation["x-permission"] ?? "—",
          ]
            .join(" ")
        )
      );

    const page = await readPage("docs/manage.md");
    const rows = page.matchAll(/^\| `([A-Z]+ \/\S*)` +\| `(\w+)` +\| `?(\w+|—)`? +\|/gm);
    const listed = [...rows].map(([, endpoint, role, permission]) => `${endpoint} ${role} ${permission}`);

    assert.ok(documented.length > 0);
    assert.deepEqual(listed.sort(), documented.sort());
  }));

Deno.test("docs/manage.md names the file of every endpoint below a company", () =>
  withServices(async ({ services }) => {
    const [names] = await listRouteFiles();
    const ofManage = names.filter((name) => name.startsWith("manage/"));
    const files = await Promise.all(ofManage.map((name) => readRouteFile(name, services)));
    const written = files.flatMap(({ file, routes }) =>
      routes.filter(({ path }) => path.startsWith(`${ROOT}/`))
        .map(({ method, path }) => `${method} ${path.slice(ROOT.length)} ${file.slice("manage/".length)}`)
    );

    const page = await readPage("docs/manage.md");
    const rows = page.matchAll(/^\| `([A-Z]+ \/\S*)` +\| `\w+` +\| [^|]+\|.*\| `(\S+\.ts)` +\|$/gm);
    const listed = [...rows].map(([, endpoint, file]) => `${endpoint} ${file}`);

    assert.deepEqual(listed.sort(), written.sort());
  }));

Deno.test("docs/manage.md lists what still works while API access is off besides reading, and the owners' fields", () =>
  withServices(async ({ app }) => {
    const { paths } = await readDocument(app) as JsonObject;
    const operations = Object.entries<Record<string, JsonObject>>(paths)
      .filter(([path]) => path.startsWith(`${ROOT}/`))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({
          name: `${method.toUpperCase()} ${path.slice(ROOT.length)}`,
          effect: operation["x-effect"],
          method,
          ownerFields: operation["x-owner-fields"] ?? [],
        }))
      );
    const page = await readPage("docs/manage.md");
    const section = page.split("## While API access is off")[1]!.split("\n## ")[0]!;
    const listed = [...section.matchAll(/`((?:GET|POST|PUT|DELETE) \/\S*)`/g)].map(([, name]) => name!)
      .filter((name) => operations.some((operation) => operation.name === name));

    const besides = operations.filter(({ method, effect }) =>
      effect !== (method === "get" ? "reads" : "acts")
    );

    assert.deepEqual(listed.sort(), besides.map(({ name }) => name).sort());
    for (const field of operations.flatMap(({ ownerFields }) => ownerFields)) {
      assert.ok(page.includes(`\`${field}\``), field);
    }
  }));
