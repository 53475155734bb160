import { join } from "node:path";
import ts from "typescript";
import { respond } from "./respond.ts";

/** `deno check` has checked the types; here they are only written. */
const OPTIONS: ts.CompilerOptions = {
  noCheck: true,
  declaration: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  rewriteRelativeImportExtensions: true,
  lib: ["lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts", "lib.esnext.d.ts"],
  types: [],
};

interface Modules {
  /** The folder of the sources, with `entries` in it. */
  source: string;
  entries: string[];
  out: string;
}

/** Writes modules and their types for any runtime, and returns what the compiler refuses. */
function compile({ source, entries, out }: Modules): string[] {
  const program = ts.createProgram(
    entries.map((name) => join(source, name)),
    { ...OPTIONS, rootDir: source, outDir: out },
  );
  const { diagnostics } = program.emit(undefined, writeModule);
  return [...diagnostics, ...program.getSyntacticDiagnostics()]
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

/** The compiler leaves the endings of imports in types as they are. */
function writeModule(file: string, text: string): void {
  const isTypes = file.endsWith(".d.ts");
  ts.sys.writeFile(file, isTypes ? text.replaceAll(/(["']\.{1,2}\/[^"']*)\.ts(["'])/g, "$1.js$2") : text);
}

if (import.meta.main) await respond(compile);
