import { CommandError } from "../errors/command_error.ts";

/**
 * Returns the section of a changelog whose heading names the version, such as `## 1.2.0 (2027-01-31)`.
 *
 * @throws {CommandError} `build_failed` when there is none
 */
export function changesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^(?=## )/m);
  const found = sections.find((section) => wordsOf(section.split("\n", 1)[0]!).includes(version));
  if (found === undefined) {
    throw new CommandError("build_failed", `CHANGELOG.md has no section whose heading names ${version}`);
  }
  return `${found.trim()}\n`;
}

function wordsOf(heading: string): string[] {
  return heading.split(/[\s()[\]]+/);
}
