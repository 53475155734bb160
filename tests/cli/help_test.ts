import assert from "node:assert/strict";
import type { Command } from "commander";
import { createProgram } from "../../cli/terminal/program.ts";

/** Every command of `deno task admin`, as it is typed, with the text of its --help. */
function helpTexts(): [name: string, help: string][] {
  const program = createProgram(() => Promise.resolve());
  return program.commands.flatMap((noun): [string, string][] => [
    [noun.name(), helpOf(noun)],
    ...noun.commands.map((verb): [string, string] => [`${noun.name()} ${verb.name()}`, helpOf(verb)]),
  ]);
}

function helpOf(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (text) => help += text }).outputHelp();
  return help;
}

Deno.test("every command's --help describes it and ends with an example of it", () => {
  const texts = helpTexts();

  assert.ok(texts.length > 30);
  for (const [name, help] of texts) {
    const [usage, examples] = help.split(/^Examples?:$/m);
    assert.match(usage!, /^Usage: .*\n\n\w/, name);
    assert.match(examples ?? "", new RegExp(`^  .*deno task admin ${name}\\b`, "m"), name);
  }
});

Deno.test("examples of commands that take --company name the company", () => {
  for (const [name, help] of helpTexts()) {
    if (!/^ +--company <id/m.test(help)) continue;
    const examples = help.split(/^Examples?:$/m)[1]!.replaceAll("\\\n", "");
    for (const line of examples.match(/^.*deno task admin.*$/gm)!) {
      assert.match(line, /--company "\$COMPANY"/, name);
    }
  }
});
