/**
 * `deno run -A tests/rules/check_words.ts [path…]` fails where code, comments, messages or docs use a word that
 * `words.ts` rules out. Prints one line per word: `file:line: 'word', better: …`.
 *
 * @module
 */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { WORD_RULES } from "./words.ts";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");
const CHECKED = ["*.ts", "*.tsx", "*.go", "*.py", "*.sql", "*.md", "*.html", "*.css", "*.json"];
/** The rules themselves, figures that are kept as they were measured, and what a generator writes. */
const SKIPPED =
  /^(tests\/rules\/(check_)?words(_test)?\.ts|sdk\/(typescript\/src|python\/src\/outbound)\/generated\/.*|.*_gen\.go|bench\/results\.json|deno\.lock|CHANGELOG\.md)$/;

/** Returns one line for each word in `text` that a rule forbids in a file of this path. */
export function checkWords(path: string, text: string): string[] {
  const rules = WORD_RULES.filter(({ except }) => !except?.test(path));
  return text.split("\n").flatMap((line, index) =>
    rules.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(line)?.[0].trim();
      return found === undefined ? [] : [`${path}:${index + 1}: '${found}', better: ${instead}`];
    })
  );
}

/** Returns the tracked files below `paths` that hold words: code, SQL, pages and docs. */
async function trackedFiles(paths: string[]): Promise<string[]> {
  const { stdout, success } = await new Deno.Command("git", {
    args: [
      "ls-files",
      "--cached",
      "--others",
      "--exclude-standard",
      "--",
      ...(paths.length > 0 ? paths : CHECKED),
    ],
    cwd: ROOT,
  }).output();
  if (!success) throw new Error("git ls-files failed: run this in a clone of the repository");
  const endings = CHECKED.map((glob) => glob.slice(1));
  return new TextDecoder().decode(stdout).split("\n")
    .filter((file) => endings.some((ending) => file.endsWith(ending)) && !SKIPPED.test(file));
}

if (import.meta.main) {
  const files = await trackedFiles(Deno.args);
  const found = (await Promise.all(files.map(async (file) => {
    const text = await Deno.readTextFile(resolve(ROOT, file)).catch(() => "");
    return checkWords(file, text);
  }))).flat();
  // deno-lint-ignore no-console
  found.forEach((line) => console.log(line));
  // deno-lint-ignore no-console
  console.log(`Words: ${files.length} files, ${found.length} to replace`);
  Deno.exit(found.length > 0 ? 1 : 0);
}
