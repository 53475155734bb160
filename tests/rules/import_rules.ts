/**
 * The plugin of `deno lint` that keeps imports in one direction, and fetch, variables, SQL and tests in their places.
 *
 * @module
 */
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface ImportEdge {
  /** The file that imports, from the root. */
  from: string;
  /** The file that it imports, from the root; a package by its name in the import map. */
  to: string;
  /** It is a file of this repository, and no package. */
  isFile: boolean;
  /** Only types come through it, so that nothing is loaded at run time. */
  typeOnly: boolean;
}

/** The function that mounts its siblings' routes; every other function stands alone. */
const MOUNTING_FUNCTION = "main";

/** Which top-level folders a file of each top-level folder may import. */
const ALLOWED_FOLDERS: Record<string, string[]> = {
  supabase: ["supabase"],
  widget: ["widget", "sdk"],
  sdk: ["sdk"],
  console: ["console", "sdk", "widget"],
  cli: ["cli", "sdk", "supabase"],
  local: ["local", "cli", "supabase", "widget"],
  bench: ["bench", "dev", "tests", "local", "cli", "supabase", "widget", "sdk"],
};

/** The files of the server that pages load too. */
const ON_PAGES = new Set([
  "supabase/functions/_shared/cells.ts",
  "supabase/functions/_shared/show_controls.js",
  "supabase/functions/_shared/values/csv_line.ts",
  "supabase/functions/_shared/widgets/launcher_icons.ts",
  "supabase/functions/_shared/widgets/own_text.ts",
]);

/** Folders of `_shared` that import nothing but packages and each other. */
const LEAF_FOLDERS = new Set(["concurrency", "crypto", "telemetry", "values"]);

/** Inside supabase/functions, files of a higher step may import files of the same or a lower one. */
const STEPS = ["leaf", "db or gateway", "domain", "services", "http", "route", "app", "index"] as const;
type Step = typeof STEPS[number];

/** Packages that do I/O, and the only files of some folders that may load them. */
const GUARDED_PACKAGES: { package: RegExp; folders: string[]; home: RegExp; rule: string }[] = [
  {
    package: /^postgres$/,
    folders: ["supabase", "cli"],
    home: /^(supabase\/functions\/_shared\/db\/|cli\/migrations\/|cli\/migrate\.ts$)/,
    rule: "postgres is loaded only in _shared/db and cli/migrations",
  },
  {
    package: /^@supabase\//,
    folders: ["supabase"],
    home: /^supabase\/functions\/_shared\/access\//,
    rule: "auth-js is loaded only in _shared/access",
  },
];

const plugin: Deno.lint.Plugin = {
  name: "outbound",
  rules: { imports: { create: importVisitor }, places: { create: placeVisitor } },
};

export default plugin;

function importVisitor(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const from = fromRoot(context.filename);
  const check = (node: Deno.lint.Node, source: Deno.lint.Node | null, typeOnly: boolean) => {
    const specifier = textOf(source);
    if (specifier === undefined) return;
    const isFile = /^\.\.?\//.test(specifier);
    const to = isFile ? fromRoot(resolve(ROOT, dirname(from), specifier)) : specifier;
    const rule = brokenRule({ from, to, isFile, typeOnly });
    if (rule !== undefined) context.report({ node, message: `${to}: ${rule}` });
  };
  return {
    ImportDeclaration(node) {
      const areTypes = node.specifiers.length > 0 &&
        node.specifiers.every((each) => each.type === "ImportSpecifier" && each.importKind === "type");
      check(node, node.source, node.importKind === "type" || areTypes);
    },
    ExportNamedDeclaration: (node) => check(node, node.source, node.exportKind === "type"),
    ExportAllDeclaration: (node) => check(node, node.source, node.exportKind === "type"),
    ImportExpression: (node) => check(node, node.source, false),
    TSImportType: (node) => check(node, node.argument, true),
  };
}

/** The text of a specifier that is written as a string, a template without values, or a type. */
function textOf(source: Deno.lint.Node | null): string | undefined {
  if (source?.type === "TSLiteralType") return textOf(source.literal);
  if (source?.type === "TemplateLiteral" && source.expressions.length === 0) return source.quasis[0]?.cooked;
  return source?.type === "Literal" && typeof source.value === "string" ? source.value : undefined;
}

function fromRoot(file: string): string {
  return relative(ROOT, file).replaceAll("\\", "/");
}

/** The rule an import breaks, or undefined when it may stand. Types may cross steps, but never top-level folders. */
function brokenRule(edge: ImportEdge): string | undefined {
  if (/^(npm|jsr|https?):/.test(edge.to)) return "packages are named only in import_map.json";
  return folderRule(edge) ?? siblingRule(edge) ??
    (edge.typeOnly ? undefined : stepRule(edge) ?? packageRule(edge));
}

function folderRule({ from, to, isFile }: ImportEdge): string | undefined {
  const [source = "", target = ""] = [topFolder(from), topFolder(to)];
  const allowed = ALLOWED_FOLDERS[source];
  if (source === "console" && ON_PAGES.has(to)) return undefined;
  if (allowed === undefined || !isFile || !to.includes("/") || allowed.includes(target)) return undefined;
  return `${source}/ never imports ${target}/`;
}

function siblingRule({ from, to }: ImportEdge): string | undefined {
  const [source, target] = [functionFolder(from), functionFolder(to)];
  if (source === undefined || target === undefined || source === target || target === "_shared") {
    return undefined;
  }
  if (source === "_shared") return "_shared never imports a function";
  return source === MOUNTING_FUNCTION ? undefined : "only main imports another function";
}

function stepRule({ from, to }: ImportEdge): string | undefined {
  const [source, target] = [stepOf(from), stepOf(to)];
  if (source === undefined || target === undefined) return undefined;
  if (STEPS.indexOf(target) > STEPS.indexOf(source)) return `${source} never imports ${target}`;
  const [sourceFolder, targetFolder] = [sharedFolder(from), sharedFolder(to)];
  if (source === "db or gateway" && target === source && sourceFolder !== targetFolder) {
    return `_shared/${sourceFolder} never imports _shared/${targetFolder}`;
  }
  return undefined;
}

function packageRule({ from, to }: ImportEdge): string | undefined {
  return GUARDED_PACKAGES.find((guard) =>
    guard.folders.includes(topFolder(from) ?? "") && guard.package.test(to) && !guard.home.test(from)
  )?.rule;
}

function stepOf(file: string): Step | undefined {
  const folder = functionFolder(file);
  if (folder === undefined) return undefined;
  if (folder !== "_shared") {
    return file.endsWith("/index.ts") ? "index" : file.endsWith("/app.ts") ? "app" : "route";
  }
  if (/\/_shared\/services\.ts$/.test(file)) return "services";
  const shared = sharedFolder(file);
  if (shared === undefined || LEAF_FOLDERS.has(shared)) return "leaf";
  if (shared === "http") return "http";
  return shared === "db" || shared === "gateways" ? "db or gateway" : "domain";
}

/** The folder under supabase/functions the file lies in (`_shared` or a slug). */
function functionFolder(file: string): string | undefined {
  return /^supabase\/functions\/([^/]+)\//.exec(file)?.[1];
}

function sharedFolder(file: string): string | undefined {
  return /^supabase\/functions\/_shared\/([^/]+)\//.exec(file)?.[1];
}

function topFolder(file: string): string | undefined {
  return file.split("/")[0];
}

function placeVisitor(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const allowed = allowedIn(fromRoot(context.filename));
  const report = (node: Deno.lint.Node, kind: keyof typeof MESSAGES) => {
    if (!allowed[kind]) context.report({ node, message: MESSAGES[kind] });
  };
  return {
    "CallExpression[callee.name='fetch']": (node) => report(node, "fetch"),
    "MemberExpression[object.name='globalThis'][property.name='fetch']": (node) => report(node, "fetch"),
    "MemberExpression[object.name='Deno'][property.name='env']": (node) => report(node, "env"),
    TaggedTemplateExpression(node) {
      if (isSqlTag(node.tag)) report(node, "sql");
    },
    "CallExpression[callee.property.name='unsafe']": (node) => report(node, "sql"),
    "CallExpression[callee.object.name='Deno'][callee.property.name='test']": (node) => report(node, "test"),
  };
}

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
  const isProduct = /^(supabase|cli|local)\//.test(file);
  return {
    fetch: !file.startsWith("supabase/functions/") || file.startsWith("supabase/functions/_shared/gateways/"),
    env: !isProduct || /\/env\.ts$/.test(file) || /^supabase\/functions\/[^/]+\/index\.ts$/.test(file) ||
      /^(cli|local)\/[^/]+\.ts$/.test(file),
    // The stand-ins in local/ have tables of their own.
    sql: !isProduct || /^(supabase\/functions\/_shared\/db|cli\/migrations|local)\//.test(file),
    test: !file.startsWith("tests/") || file.endsWith("_test.ts"),
  };
}
