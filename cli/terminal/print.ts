import { terminalJson } from "../../supabase/functions/_shared/values/control_characters.ts";
import { showControls } from "../../supabase/functions/_shared/show_controls.js";

const encoder = new TextEncoder();

/** Writes text for the person who started the command; control characters in it are shown as text. */
export function print(text: string): void {
  writeAll(Deno.stdout, `${showControls(text)}\n`);
}

/** Writes one line of JSON for the program that started the command. */
export function printJson(value: unknown): void {
  writeAll(Deno.stdout, `${terminalJson(value)}\n`);
}

/** Writes one line of explanation beside the command's output, on standard error. */
export function printError(line: string): void {
  writeAll(Deno.stderr, `${showControls(line)}\n`);
}

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
}
