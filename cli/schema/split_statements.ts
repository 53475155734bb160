/** One statement of a file, with the comment lines that stand directly above it. */
export interface Statement {
  comment: string;
  text: string;
}

/** A dollar quote, a string, a quoted name, a comment, the end of a statement, or any other character. */
const TOKEN = /(\$\w*\$)[\s\S]*?\1|'[^']*'|"[^"]*"|--[^\n]*|;|[\s\S]/g;

/** Splits SQL at the semicolons that end statements. */
export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = [];
  let text = "";
  for (const [token] of sql.matchAll(TOKEN)) {
    text += token;
    if (token !== ";") continue;
    statements.push(withComment(text));
    text = "";
  }
  if (text.replace(/^[ \t]*--.*$/gm, "").trim() !== "") statements.push(withComment(text));
  return statements;
}

/** Comment lines that an empty line separates from the statement belong to the file, not to the statement. */
function withComment(text: string): Statement {
  const lines = text.trim().split("\n");
  const first = lines.findIndex((line) => !/^\s*(--.*)?$/.test(line));
  const before = lines.slice(0, first);
  return {
    comment: before.slice(before.findLastIndex((line) => line.trim() === "") + 1).join("\n"),
    text: lines.slice(first).join("\n"),
  };
}
