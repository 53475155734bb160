/** A port that is free now, with the five after it: for a stack that must come back where it was. */
export function freePorts(): number {
  for (let attempt = 0; attempt < 100; attempt++) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    if ([0, 1, 2, 3, 4, 5].every((offset) => isFree(first + offset))) return first;
  }
  throw new Error("No six free ports in a row");
}

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch {
    return false;
  }
}
