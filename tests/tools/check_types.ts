import { TEST_PACKAGES } from "./test_packages.ts";

/**
 * Checks the types of files, folders or the whole tree, once for all parts of a run.
 *
 * @returns what is wrong, or undefined
 */
export async function checkTypes(root: string, paths: string[]): Promise<string | undefined> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", ...TEST_PACKAGES, ...(paths.length === 0 ? ["."] : paths)],
    cwd: root,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  return success ? undefined : new TextDecoder().decode(stderr).trim();
}
