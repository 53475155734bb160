/** Why apt cannot be used here, or undefined. `sudo` serves on a CI machine if it asks for no password. */
export async function aptHindrance(): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return "apt installs on Debian only";
  const hasApt = await Deno.stat("/usr/bin/apt-get").then(() => true, () => false);
  if (!hasApt) return "there is no apt-get here";
  return Deno.uid() === 0 || await canSudo() ? undefined : "apt needs root";
}

/**
 * Fetches the lists of what apt can install.
 *
 * @returns why it could not be done, or undefined
 */
export async function updatePackageLists(): Promise<string | undefined> {
  return await aptHindrance() ?? (await apt("apt-get", ["update", "-q"])).failure;
}

/**
 * Installs Debian packages without what they merely recommend.
 *
 * @returns why it could not be done, or undefined
 */
export async function installPackages(names: string[]): Promise<string | undefined> {
  return (await apt("apt-get", ["install", "-qy", "--no-install-recommends", ...names])).failure;
}

/** Runs one of apt's commands; `failure` is the last line of its complaint. */
export async function apt(command: string, args: string[]): Promise<{ output: string; failure?: string }> {
  const words = ["env", "DEBIAN_FRONTEND=noninteractive", command, ...args];
  const [program, ...rest] = Deno.uid() === 0 ? words : ["sudo", "-n", ...words];
  const { success, stdout, stderr } = await new Deno.Command(program!, { args: rest, stdin: "null" })
    .output();
  const output = new TextDecoder().decode(stdout);
  if (success) return { output };
  const lastLine = new TextDecoder().decode(stderr).trim().split("\n").at(-1) ?? "";
  return { output, failure: `${command} ${args[0]} failed: ${lastLine}` };
}

async function canSudo(): Promise<boolean> {
  if (!Deno.env.get("CI")) return false;
  const command = new Deno.Command("sudo", { args: ["-n", "true"], stdin: "null", stderr: "null" });
  return await command.output().then(({ success }) => success, () => false);
}
