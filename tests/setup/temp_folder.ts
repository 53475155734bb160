/** Calls `fn` with an empty folder of its own and removes it afterwards. */
export async function withTempFolder(fn: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "outbound-test-" });
  try {
    await fn(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
