export interface FileLock {
  release(): void;
}

/**
 * Locks a file for this process, or returns undefined when another process holds it. The lock is the operating
 * system's: it ends with the process however that ends. A file left behind by a killed process or by a reboot does not
 * block the next start.
 */
export async function lockFile(path: string): Promise<FileLock | undefined> {
  const file = await Deno.open(path, { create: true, write: true, mode: 0o600 });
  if (await file.tryLock(true)) return { release: () => file.close() };
  file.close();
  return undefined;
}
