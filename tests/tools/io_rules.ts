/**
 * Lint rules for what an import graph cannot show: globals that reach outside the program, SQL, and who declares tests.
 * Run by `check_imports.ts`, not by `deno lint`.
 */
const plugin: Deno.lint.Plugin = {
  name: "outbound",
  rules: {
    "io": {
      create(context) {
        const allowed = allowedIn(context.filename.replaceAll("\\", "/"));
        return {
          "CallExpression[callee.name='fetch']"(node) {
            if (!allowed.fetch) report(node, "fetch");
          },
          "MemberExpression[object.name='globalThis'][property.name='fetch']"(node) {
            if (!allowed.fetch) report(node, "fetch");
          },
          "MemberExpression[object.name='Deno'][property.name='env']"(node) {
            if (!allowed.env) report(node, "env");
          },
          TaggedTemplateExpression(node) {
            if (!allowed.sql && isSqlTag(node.tag)) report(node, "sql");
          },
          "CallExpression[callee.property.name='unsafe']"(node) {
            if (!allowed.sql) report(node, "sql");
          },
          "CallExpression[callee.object.name='Deno'][callee.property.name='test']"(node) {
            if (!allowed.test) report(node, "test");
          },
        };

        function report(node: Deno.lint.Node, kind: keyof typeof MESSAGES): void {
          context.report({ node, message: MESSAGES[kind] });
        }
      },
    },
  },
};

/** Whether a template's tag runs it as SQL: `sql`, `transaction`, `context.sql`. */
function isSqlTag(tag: Deno.lint.Expression): boolean {
  const name = tag.type === "MemberExpression" ? tag.property : tag;
  return name.type === "Identifier" && /^(sql|transaction)$/.test(name.name);
}

const MESSAGES = {
  fetch: "fetch: outbound requests are made only in _shared/gateways",
  env: "Deno.env: variables are read only in env.ts and entry points",
  sql: "SQL: queries are written only in _shared/db and cli/migrations",
  test: "Deno.test: tests are declared only in _test.ts files, by which reports name them",
};

function allowedIn(file: string): Record<keyof typeof MESSAGES, boolean> {
  const isOfTests = file.includes("/tests/");
  return {
    fetch: !file.includes("/supabase/functions/") || file.includes("/supabase/functions/_shared/gateways/"),
    env: isOfTests || /\/env\.ts$/.test(file) || /\/supabase\/functions\/[^/]+\/index\.ts$/.test(file) ||
      /\/(cli|local)\/[^/]+\.ts$/.test(file),
    // The stand-ins in local/ have tables of their own.
    sql: isOfTests || /\/(supabase\/functions\/_shared\/db|cli\/migrations|local)\//.test(file),
    test: file.endsWith("_test.ts"),
  };
}

export default plugin;
