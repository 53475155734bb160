import ts from "typescript";
import { respond } from "./respond.ts";
import type { Expression, ReadSource } from "./expression.ts";

function readSource({ file, text }: { file: string; text: string }): ReadSource {
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
  return { file, written, makers };
}

if (import.meta.main) await respond((sources: { file: string; text: string }[]) => sources.map(readSource));
