/**
 * Fetches the lists of what apt can install.
 *
 * @returns why it could not be done, or undefined
 */
export async function updatePackageLists(): Promise<string | undefined> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return "not root on Debian, so nothing was installed";
  const hasApt = await Deno.stat("/usr/bin/apt-get").then(() => true, () => false);
  if (!hasApt) return "no apt-get here, so nothing was installed";
  return (await apt("apt-get", ["update", "-q"])).failure;
}

/**
 * Installs Debian packages without what they merely recommend.
 *
 * @returns why it could not be done, or undefined
 */
export async function installPackages(names: string[]): Promise<string | undefined> {
  return (await apt("apt-get", ["install", "-qy", "--no-install-recommends", ...names])).failure;
}

/** Runs one of apt's commands; `failure` is the last line it complained with. */
export async function apt(command: string, args: string[]): Promise<{ output: string; failure?: string }> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args,
    stdin: "null",
    env: { DEBIAN_FRONTEND: "noninteractive" },
  }).output();
  const output = new TextDecoder().decode(stdout);
  if (success) return { output };
  const lastLine = new TextDecoder().decode(stderr).trim().split("\n").at(-1) ?? "";
  return { output, failure: `${command} ${args[0]} failed: ${lastLine}` };
}
