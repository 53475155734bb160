import { dirname, join } from "node:path";
import { buildPython } from "../../cli/release_build/python_packages.ts";
import { install, makeClient, need, run, TOOLS } from "../clients/make_client.ts";
import { ROOT } from "./packed_client.ts";

/** The Python client as a wheel, in a fresh virtual environment. */
export interface PythonClient {
  /** An empty folder. */
  folder: string;
  /** The Python that has the client. */
  python: string;
  /** The Python that has mypy. */
  tools: string;
}

const MYPY = "mypy==2.4.1";
const OLD_PYTHON = "import sys; sys.exit(None if sys.version_info >= (3, 10) else 'Python 3.10 is needed')";

/** Calls `fn` with the client. Without Python or its registry, `test` counts as skipped. */
export async function withPythonClient(
  test: string,
  fn: (client: PythonClient) => Promise<void>,
): Promise<void> {
  await makeClient(test, async (temp) => {
    await need("python3");
    await install(temp, ["python3", "-c", OLD_PYTHON]);
    const [tools, built] = [join(temp, "tools"), join(temp, "built")];
    await install(temp, ["python3", "-m", "venv", tools]);
    await install(temp, [...pip(tools), "install", MYPY]);
    const names = await buildPython(join(ROOT, "sdk/python"), built, { tools: TOOLS, time: new Date() });
    const wheel = names.find((name) => name.endsWith(".whl"))!;
    const python = await installWheel(join(built, wheel), join(temp, "client"));
    const folder = join(temp, "folder");
    await Deno.mkdir(folder);
    await fn({ folder, python, tools: join(tools, "bin/python") });
  });
}

/** Packages that the client needs. Without them a test is skipped; with them the client must install. */
const NEEDED = ["anyio", "httpx", "typing-extensions"];

/** Installs a wheel into a virtual environment, which is made, and returns the path of its Python. */
export async function installWheel(wheel: string, environment: string): Promise<string> {
  const cwd = dirname(environment);
  await run(cwd, ["python3", "-m", "venv", environment]);
  await install(cwd, [...pip(environment), "install", ...NEEDED]);
  await run(cwd, [...pip(environment), "install", wheel]);
  return join(environment, "bin/python");
}

function pip(environment: string): string[] {
  return [join(environment, "bin/python"), "-m", "pip", "--quiet", "--disable-pip-version-check"];
}
