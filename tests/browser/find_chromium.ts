const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Returns the path of this machine's Chromium; undefined when it has none. */
export function findChromium(): string | undefined {
  return PLACES.find(isFile);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** A step in a page that fails ends after this time; a busy machine takes seconds for one. */
export const STEP_TIMEOUT_MS = 60_000;
