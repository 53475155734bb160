import { join } from "node:path";
import { install, makeClient, need, run } from "../clients/make_client.ts";
import { ROOT } from "./packed_client.ts";

/** The sources of the client. */
export const GO_SOURCES = join(ROOT, "sdk/go");

const PROGRAM = join(ROOT, "tests/sdk/programs/go");

/** Its own Go, and no newer one from the network: the client itself needs no package. */
const ENV = { GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod", GOPROXY: "off" };

const MODULE = `module example.com/program

go 1.24

require github.com/outbound/outbound-go v0.0.0

replace github.com/outbound/outbound-go => ${GO_SOURCES}
`;

/** Calls `fn` with a fresh folder outside of the project, a module that takes the client. Without Go 1.24, `test` is skipped. */
export async function withGoClient(test: string, fn: (folder: string) => Promise<void>): Promise<void> {
  await makeClient(test, async (folder) => {
    await need("go");
    await Deno.writeTextFile(join(folder, "go.mod"), MODULE);
    await install(folder, ["go", "list", "-m", "all"], ENV);
    await fn(folder);
  });
}

/** Runs `go`, without the network. */
export function runGo(folder: string, ...args: string[]): Promise<string> {
  return run(folder, ["go", ...args], ENV);
}

/** Builds the program of the behaviours in `folder`, and returns its path. */
export async function buildGoProgram(folder: string): Promise<string> {
  for await (const { name } of Deno.readDir(PROGRAM)) {
    await Deno.copyFile(join(PROGRAM, name), join(folder, name));
  }
  await runGo(folder, "build", "-o", "program", ".");
  return join(folder, "program");
}
