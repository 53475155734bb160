/** Writes a file that only its owner may read, entirely or not at all. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.new`;
  await Deno.remove(unfinished).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.writeTextFile(unfinished, text, { mode: 0o600, createNew: true });
  await Deno.rename(unfinished, path);
}
