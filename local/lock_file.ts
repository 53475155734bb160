export interface FileLock {
  release(): void;
}

/**
 * Locks a file for this process, or answers nothing when another one holds it.
 *
 * The lock is the operating system's: it ends with the process however that ends, so a file left behind by a killed
 * process or by a reboot locks nobody out.
 */
export async function lockFile(path: string): Promise<FileLock | undefined> {
  const file = await Deno.open(path, { create: true, write: true, mode: 0o600 });
  if (await file.tryLock(true)) return { release: () => file.close() };
  file.close();
  return undefined;
}
