import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");
const PRODUCT = ["supabase", "cli", "console", "widget", "local", "sdk"];

/** A regular expression of the product's source. */
export interface Expression {
  /** `file:line`. */
  at: string;
  source: string;
  flags: string;
}

/** Returns every regular expression of the product, written as one or made of text while its module loads. */
export async function productExpressions(): Promise<Expression[]> {
  const found: Expression[] = [];
  // One after the other: `madeBy` watches a global.
  for (const file of await sourceFiles()) found.push(...await expressionsOf(file));
  return found;
}

async function sourceFiles(): Promise<string[]> {
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...PRODUCT],
    cwd: ROOT,
  }).output();
  return new TextDecoder().decode(stdout).split("\n").filter((file) => /\.(tsx?|m?js)$/.test(file));
}

async function expressionsOf(file: string): Promise<Expression[]> {
  const text = await Deno.readTextFile(resolve(ROOT, file)).catch(() => "");
  const { written, makers } = readSource(file, text);
  return makers.length === 0 ? written : [...written, ...await madeBy(file, makers)];
}

/** Returns the expressions that a source file writes, and the places where it makes one of text. */
export function readSource(file: string, text: string): { written: Expression[]; makers: string[] } {
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const written: Expression[] = [];
  const makers: string[] = [];
  const at = (node: ts.Node) => `${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      written.push({ at: at(node), source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    } else if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp"
    ) makers.push(at(node));
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { written, makers };
}

/**
 * Loads a module once more and returns what it hands to `RegExp`.
 *
 * @throws {Error} for an expression that is made later, of a text that is not known before
 */
async function madeBy(file: string, makers: string[]): Promise<Expression[]> {
  const made: Expression[] = [];
  const url = pathToFileURL(resolve(ROOT, file)).href;
  // Its imports are loaded before, so that only its own expressions are seen.
  await import(url);
  const { RegExp } = globalThis;
  globalThis.RegExp = new Proxy(RegExp, {
    construct(target, [source, flags]) {
      made.push({ at: makers[made.length] ?? file, source: String(source), flags: flags ?? "" });
      return new target(source, flags);
    },
  });
  try {
    await import(`${url}?again`);
  } finally {
    globalThis.RegExp = RegExp;
  }
  if (made.length === makers.length) return made;
  throw new Error(`${makers.join(", ")}: an expression must be made while its module loads`);
}
