import { join } from "node:path";
import { install, makeClient, need, run } from "../clients/make_client.ts";
import { ROOT } from "./packed_client.ts";

/** The Python client as a wheel, in a fresh virtual environment. */
export interface PythonClient {
  /** An empty folder. */
  folder: string;
  /** The Python that has the client. */
  python: string;
  /** The Python that has the tools: hatchling and mypy. */
  tools: string;
}

const TOOLS = ["hatchling==1.33.0", "mypy==2.4.1"];
const OLD_PYTHON = "import sys; sys.exit(None if sys.version_info >= (3, 10) else 'Python 3.10 is needed')";

/** Calls `fn` with the client. Without Python or its registry, `test` counts as skipped. */
export async function withPythonClient(
  test: string,
  fn: (client: PythonClient) => Promise<void>,
): Promise<void> {
  await makeClient(test, async (temp) => {
    await need("python3");
    await install(temp, ["python3", "-c", OLD_PYTHON]);
    const [tools, client] = [join(temp, "tools"), join(temp, "client")];
    await install(temp, ["python3", "-m", "venv", tools]);
    await install(temp, [...pip(tools), "install", ...TOOLS]);
    const source = join(ROOT, "sdk/python");
    const build = ["--no-deps", "--no-build-isolation", "--wheel-dir", temp];
    await run(temp, [...pip(tools), "wheel", ...build, source]);
    await run(temp, ["python3", "-m", "venv", client]);
    await run(temp, [...pip(client), "install", await findWheel(temp)]);
    const folder = join(temp, "folder");
    await Deno.mkdir(folder);
    await fn({ folder, python: join(client, "bin/python"), tools: join(tools, "bin/python") });
  });
}

function pip(environment: string): string[] {
  return [join(environment, "bin/python"), "-m", "pip", "--quiet", "--disable-pip-version-check"];
}

async function findWheel(folder: string): Promise<string> {
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".whl")) return join(folder, name);
  }
  throw new Error("no wheel was built");
}
