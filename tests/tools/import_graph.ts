import { relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { TEST_PACKAGES } from "./test_packages.ts";

/** One import statement (or re-export, or dynamic import) of one file. */
export interface ImportEdge {
  /** Importing file, relative to the root, with forward slashes. */
  from: string;
  /** Imported file relative to the root, or the package as the import map names it (`npm:postgres@3.4.9`). */
  to: string;
  /** True when only types come through it, so that nothing is loaded at run time. */
  typeOnly: boolean;
  /** There when it is loaded at its use, and not with the file. */
  isDynamic?: true;
}

export interface ImportGraph {
  files: string[];
  edges: ImportEdge[];
  /** Files that could not be loaded or parsed, with Deno's reason. */
  broken: { file: string; reason: string }[];
}

const SOURCE_FILE = /\.(ts|tsx|mts|js|mjs)$/;
const SKIPPED_FOLDERS = new Set(["node_modules", ".git", ".outbound", ".temp", "artifacts"]);
/** Files that a generator wrote follow its rules. */
const GENERATED = /\.gen\.ts$/;

/**
 * Reads who imports whom below the given folders of `root`, as `deno info --json` resolves it: with the import
 * map applied, type-only imports marked and dynamic imports included.
 */
export async function readImportGraph(root: string, folders: string[]): Promise<ImportGraph> {
  const files = await listSourceFiles(root, folders);
  const info = await denoInfo(root, files.map((file) => resolve(root, file)));
  const local = (specifier: string) => localName(root, specifier, info.redirects);
  return {
    files,
    edges: info.modules.flatMap((module) => GENERATED.test(module.specifier) ? [] : edgesOf(module, local)),
    broken: info.modules.filter((module) => module.error !== undefined)
      .map((module) => ({ file: local(module.specifier), reason: module.error ?? "" })),
  };
}

/** Returns the source files below the given folders of `root`, relative to it and sorted. */
export async function listSourceFiles(root: string, folders: string[]): Promise<string[]> {
  const found = await Promise.all(folders.map((folder) => sourceFiles(resolve(root, folder))));
  return found.flat().map((file) => slashed(relative(root, file))).sort();
}

/** Every file reachable from `start` by run-time imports, `start` included. */
export function reachableFiles(graph: ImportGraph, start: string): Set<string> {
  const seen = new Set([start]);
  for (const file of seen) {
    for (const edge of graph.edges) {
      if (edge.from === file && !edge.typeOnly) seen.add(edge.to);
    }
  }
  return seen;
}

interface DenoModule {
  specifier: string;
  error?: string;
  dependencies?: {
    code?: { specifier?: string };
    type?: { specifier?: string };
    isDynamic?: boolean;
  }[];
}

interface DenoInfo {
  modules: DenoModule[];
  redirects: Record<string, string>;
}

function edgesOf(module: DenoModule, local: (specifier: string) => string): ImportEdge[] {
  if (!module.specifier.startsWith("file:")) return [];
  return (module.dependencies ?? []).flatMap((dependency) => {
    const target = dependency.code?.specifier ?? dependency.type?.specifier;
    if (target === undefined) return [];
    const typeOnly = dependency.code === undefined;
    return [{
      from: local(module.specifier),
      to: local(target),
      typeOnly,
      ...(dependency.isDynamic && { isDynamic: true as const }),
    }];
  });
}

async function sourceFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  });
  for (const entry of entries) {
    const path = resolve(folder, entry.name);
    if (entry.isDirectory && !SKIPPED_FOLDERS.has(entry.name)) found.push(...await sourceFiles(path));
    if (entry.isFile && SOURCE_FILE.test(entry.name)) found.push(path);
  }
  return found;
}

/** `deno info` takes one entry point, so it gets a temporary module that imports every file. */
async function denoInfo(root: string, files: string[]): Promise<DenoInfo> {
  const entry = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(
      entry,
      files.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join(""),
    );
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--config", resolve(root, "deno.json"), ...TEST_PACKAGES, entry],
      cwd: root,
      stdin: "null",
      env: { NO_COLOR: "1" },
    }).output();
    if (!success) throw new Error(`deno info failed: ${new TextDecoder().decode(stderr)}`);
    const info = JSON.parse(new TextDecoder().decode(stdout)) as DenoInfo;
    const own = pathToFileURL(entry).href;
    return { ...info, modules: info.modules.filter((module) => module.specifier !== own) };
  } finally {
    await Deno.remove(entry);
  }
}

function localName(root: string, specifier: string, redirects: Record<string, string>): string {
  const target = redirects[specifier]?.startsWith("file:") ? redirects[specifier] : specifier;
  if (!target.startsWith("file:")) return target;
  return slashed(relative(root, decodeURIComponent(new URL(target).pathname)));
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}
