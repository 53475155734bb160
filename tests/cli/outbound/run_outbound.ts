import { showControls } from "../../../supabase/functions/_shared/show_controls.js";
import { terminalJson } from "../../../supabase/functions/_shared/values/control_characters.ts";
import type { Variables } from "../../../cli/outbound/profiles.ts";
import { runProgram } from "../../../cli/outbound/run_program.ts";
import type { Outcome } from "../run_process.ts";

/** Runs the program in this process, without a terminal to ask in. */
export async function runOutbound(args: string[], env: Variables, stdin = ""): Promise<Outcome> {
  const texts = { stdout: "", stderr: "" };
  const write = (text: string) => Promise.resolve(void (texts.stdout += text));
  const code = await runProgram({
    env,
    terminal: {
      columns: undefined,
      canAsk: false,
      print: (text) => write(`${showControls(text)}\n`),
      printJson: (value) => write(`${terminalJson(value)}\n`),
      printBytes: (bytes) => write(new TextDecoder().decode(bytes)),
      note: (line) => void (texts.stderr += `${showControls(line)}\n`),
      readInput: () => Promise.resolve(new TextEncoder().encode(stdin)),
      ask: (question) => Promise.reject(new Error(`asked for ${question}`)),
    },
  }, args);
  return { code, ...texts };
}
