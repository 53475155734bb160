import type { ImportEdge } from "./import_graph.ts";

/** The function that mounts its siblings' routes; every other function stands alone. */
const MOUNTING_FUNCTION = "main";

/** Which top-level folders a file of each top-level folder may import. */
const ALLOWED_FOLDERS: Record<string, string[]> = {
  supabase: ["supabase"],
  widget: ["widget"],
  sdk: ["sdk"],
  console: ["console", "sdk", "widget"],
  cli: ["cli", "supabase"],
  local: ["local", "cli", "supabase", "widget"],
  bench: ["bench", "tests", "local", "cli", "supabase", "widget", "sdk"],
};

/** The file of the server that pages load too. */
const ON_PAGES = "supabase/functions/_shared/show_controls.js";

/** Folders of `_shared` that import nothing but packages and each other. */
const LEAF_FOLDERS = new Set(["concurrency", "crypto", "telemetry"]);

/** Inside supabase/functions, files of a higher step may import files of the same or a lower one. */
const STEPS = ["leaf", "db or gateway", "domain", "services", "http", "route", "app", "index"] as const;
type Step = typeof STEPS[number];

/** Packages that do I/O, and the only files of some folders that may load them. */
const GUARDED_PACKAGES: { package: RegExp; folders: string[]; home: RegExp; rule: string }[] = [
  {
    package: /^npm:\/?postgres@/,
    folders: ["supabase", "cli"],
    home: /^(supabase\/functions\/_shared\/db\/|cli\/migrations\/|cli\/migrate\.ts$)/,
    rule: "postgres is loaded only in _shared/db and cli/migrations",
  },
  {
    package: /^npm:\/?@supabase\//,
    folders: ["supabase"],
    home: /^supabase\/functions\/_shared\/access\//,
    rule: "supabase-js is loaded only in _shared/access",
  },
];

/** The rule an import breaks, or undefined when it may stand. Types may cross steps, but never top-level folders. */
export function brokenRule(edge: ImportEdge): string | undefined {
  if (/^(npm|jsr|https?):/.test(edge.specifier)) return "packages are named only in import_map.json";
  return folderRule(edge) ?? siblingRule(edge) ??
    (edge.typeOnly ? undefined : stepRule(edge) ?? packageRule(edge));
}

function folderRule({ from, to }: ImportEdge): string | undefined {
  const [source = "", target = ""] = [topFolder(from), topFolder(to)];
  const allowed = ALLOWED_FOLDERS[source];
  if (source === "console" && to === ON_PAGES) return undefined;
  if (allowed === undefined || isPackage(to) || !to.includes("/") || allowed.includes(target)) {
    return undefined;
  }
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

function isPackage(target: string): boolean {
  return /^[a-z]+:/.test(target);
}
