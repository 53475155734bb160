const encoder = new TextEncoder();

/** Writes one line for the person or program that started the command. */
export function print(line: string): void {
  writeAll(Deno.stdout, `${line}\n`);
}

/** Writes one line of explanation beside the command's answer, on standard error. */
export function printError(line: string): void {
  writeAll(Deno.stderr, `${line}\n`);
}

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
}
