/**
 * Lint rules for what an import graph cannot show: globals that reach outside the program. Run by
 * `check_imports.ts` over the product's code, not by `deno lint`.
 */
const plugin: Deno.lint.Plugin = {
  name: "outbound",
  rules: {
    "io": {
      create(context) {
        const allowed = allowedGlobals(context.filename.replaceAll("\\", "/"));
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
        };

        function report(node: Deno.lint.Node, kind: "fetch" | "env"): void {
          context.report({ node, message: MESSAGES[kind] });
        }
      },
    },
  },
};

const MESSAGES = {
  fetch: "fetch: outbound requests are made only in _shared/gateways",
  env: "Deno.env: variables are read only in env.ts and entry points",
};

function allowedGlobals(file: string): { fetch: boolean; env: boolean } {
  return {
    fetch: !file.includes("/supabase/functions/") || file.includes("/supabase/functions/_shared/gateways/"),
    env: /\/env\.ts$/.test(file) || /\/supabase\/functions\/[^/]+\/index\.ts$/.test(file) ||
      /\/(cli|local)\/[^/]+\.ts$/.test(file),
  };
}

export default plugin;
