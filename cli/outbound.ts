import process from "node:process";
import { runProgram } from "./outbound/run_program.ts";
import { openTerminal } from "./outbound/terminal.ts";

// A reader of the output that has seen enough, such as head, is no failure.
process.stdout.on("error", ({ code }: { code?: string }) => process.exit(code === "EPIPE" ? 0 : 1));

const terminal = openTerminal();
process.exitCode = await runProgram({ env: process.env, terminal }, process.argv.slice(2));
