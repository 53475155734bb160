import { showControls } from "../../../supabase/functions/_shared/show_controls.js";
import { terminalJson } from "../../../supabase/functions/_shared/values/control_characters.ts";
import type { Variables } from "../../../cli/outbound/profiles.ts";
import { runProgram } from "../../../cli/outbound/run_program.ts";
import type { Outcome } from "../run_process.ts";

export interface RunOptions {
  /** Standard input. */
  stdin?: string;
  /** Returns what the person types at a question; without it, there is no terminal to ask in. */
  ask?(question: string): string;
  /** Called with each text that is printed; an error ends the program. */
  onPrint?(text: string): void;
}

/** Runs the program in this process. */
export async function runOutbound(
  args: string[],
  env: Variables,
  { stdin = "", ask, onPrint = () => {} }: RunOptions = {},
): Promise<Outcome> {
  const texts = { stdout: "", stderr: "" };
  // deno-lint-ignore require-await -- what `onPrint` throws is a rejection
  const write = async (text: string) => {
    texts.stdout += text;
    onPrint(text);
  };
  const code = await runProgram({
    env,
    terminal: {
      columns: undefined,
      canAsk: ask !== undefined,
      print: (text) => write(`${showControls(text)}\n`),
      printJson: (value) => write(`${terminalJson(value)}\n`),
      printBytes: (bytes) => write(new TextDecoder().decode(bytes)),
      note: (line) => void (texts.stderr += `${showControls(line)}\n`),
      readInput: () => Promise.resolve(new TextEncoder().encode(stdin)),
      ask: (question) =>
        ask ? Promise.resolve(ask(question)) : Promise.reject(new Error(`asked for ${question}`)),
    },
  }, args);
  return { code, ...texts };
}
