import { renderFields } from "../terminal/render.ts";
import { type Flag, type Operation, OPERATIONS } from "./operation.ts";
import { OWN_FLAGS } from "./own_flags.ts";
import { OWN_COMMAND_HELP } from "./own_help.ts";

/** The help of the program. */
export function mainHelp(): string {
  const resources = [...new Set(OPERATIONS.map(({ resource }) => resource))];
  return [
    "Usage: outbound COMMAND [...]\n\nThe command line of outbound. Log in first, or set OUTBOUND_BASE_URL and " +
    "OUTBOUND_API_KEY.",
    "Commands:",
    renderFields(Object.entries(OWN_COMMAND_HELP).map(([name, { summary }]) => [`  ${name}`, summary])),
    'What the API offers ("outbound RESOURCE" lists the verbs, "outbound RESOURCE VERB --help" explains one):',
    renderFields(resources.map((name) => [`  ${name}`, verbsOf(name)])),
    "Exit codes: 0 done, 1 the API refused or cannot be reached, 2 a wrong command line.",
  ].join("\n\n");
}

function verbsOf(name: string): string {
  return OPERATIONS.filter(({ resource }) => resource === name).map(({ verb }) => verb).join(", ");
}

/** The help of a command of the program's own. */
export function ownHelp(name: string): string {
  return OWN_COMMAND_HELP[name]!.text;
}

/** The verbs of a resource. */
export function resourceHelp(resource: string, operations: Operation[]): string {
  const verbs = operations.map(({ verb, summary }): [string, string] => [`  ${verb}`, summary]);
  return `Usage: outbound ${resource} VERB [...]\n\n${renderFields(verbs)}`;
}

/** The help of an operation: its flags, and an example that works. */
export function commandHelp(operation: Operation): string {
  const { resource, verb, summary, description, flags, example, method, path } = operation;
  const words = flags.filter(({ positional }) => positional).map(({ field }) => field[0]!.toUpperCase());
  const options = flags.filter(({ positional }) => !positional);
  return [
    `Usage: ${["outbound", resource, verb, ...words, "[flags]"].join(" ")}`,
    [summary, ...description ? [description] : []].join("\n\n"),
    ...options.length > 0 ? [`Flags:\n${renderFields(options.map(describeFlag))}`] : [],
    `Flags of every command:\n${renderOwnFlags()}`,
    `Example:\n  ${["outbound", resource, verb, ...example.map(quote)].join(" ")}`,
    `It calls ${method} ${path}.`,
  ].join("\n\n");
}

/** The flags that every command takes. */
export function renderOwnFlags(): string {
  return renderFields(
    Object.entries(OWN_FLAGS).map((
      [name, { value, description }],
    ) => [`  --${name}${value === undefined ? "" : ` ${value}`}`, description]),
  );
}

function describeFlag(flag: Flag): [string, string] {
  const { name, type, items, open, required, values, description } = flag;
  const kind = type === "boolean" ? "" : ` ${kindOf(type === "array" ? items! : type)}`;
  const notes = [
    ...required ? ["needed"] : [],
    ...type === "array" ? ["repeatable"] : [],
    ...open ? [`takes fields of your own: --${name}.NAME VALUE`] : [],
    ...values ? [`one of ${values.join(", ")}`] : [],
  ];
  const text = [...description ? [description] : [], ...notes.length > 0 ? [`(${notes.join("; ")})`] : []];
  return [`  --${name}${kind}`, text.join(" ")];
}

function kindOf(type: Flag["type"]): string {
  return {
    string: "TEXT",
    integer: "NUMBER",
    number: "NUMBER",
    boolean: "BOOLEAN",
    array: "LIST",
    any: "JSON",
  }[type];
}

/** Writes a word as a shell reads it. */
function quote(word: string): string {
  return /^[\w.:/@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
