import { type Operation, OPERATIONS } from "./operation.ts";
import { OWN_FLAGS } from "./own_flags.ts";
import { OWN_COMMAND_HELP } from "./own_help.ts";
import { UsageError } from "./usage_error.ts";

/** Each shell asks the program itself, so that the script fits every version. */
const SCRIPTS: Record<string, string> = {
  bash: `_outbound() {
  local words
  words=$(outbound complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _outbound outbound`,
  zsh: `#compdef outbound
_outbound() {
  compadd -- \${(f)"$(outbound complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"} || _files
}
compdef _outbound outbound`,
  fish:
    `complete -c outbound -a '(outbound complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
};

/**
 * Returns the script that makes a shell complete commands and flags.
 *
 * @throws {UsageError} for another shell
 */
export function completionScript(shell: string | undefined): string {
  if (shell !== undefined && Object.hasOwn(SCRIPTS, shell)) return SCRIPTS[shell]!;
  throw new UsageError("Name the shell: bash, zsh or fish");
}

/** Returns what may stand for the last of the words after `outbound`. */
export function complete(words: string[]): string[] {
  const current = words.at(-1) ?? "";
  return candidates(words).filter((word) => word.startsWith(current));
}

function candidates([resource = "", verb = "", ...rest]: string[]): string[] {
  const position = rest.length > 0 ? "flag" : "verb";
  const known = OPERATIONS.filter((each) => each.resource === resource);
  if (verb === "" && known.length === 0 && !Object.hasOwn(OWN_COMMAND_HELP, resource)) {
    return [...Object.keys(OWN_COMMAND_HELP), ...new Set(OPERATIONS.map((each) => each.resource))];
  }
  if (position === "verb") return known.map((each) => each.verb);
  const operation = known.find((each) => each.verb === verb);
  return operation === undefined ? [] : flagsAndValues(operation, rest.at(-2));
}

function flagsAndValues({ flags }: Operation, before = ""): string[] {
  const values = flags.find(({ name }) => `--${name}` === before)?.values;
  if (values !== undefined) return values;
  return [
    ...flags.filter(({ positional }) => !positional),
    ...Object.keys(OWN_FLAGS).map((name) => ({ name })),
  ]
    .map(({ name }) => `--${name}`);
}
