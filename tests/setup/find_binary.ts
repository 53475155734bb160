/** Looks for a program where packages put it and on the PATH. */
export async function findBinary(name: string): Promise<string | undefined> {
  const folders = (Deno.env.get("PATH") ?? "").split(":").filter((folder) => folder !== "");
  for (const folder of [...folders, "/usr/sbin", "/opt/homebrew/bin", "/usr/local/bin"]) {
    const path = `${folder}/${name}`;
    if (await Deno.stat(path).then(({ isFile }) => isFile, () => false)) return path;
  }
}
