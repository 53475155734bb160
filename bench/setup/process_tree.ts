/** A process and what it uses. */
export interface TreeProcess {
  pid: number;
  /** Bytes in memory; what two processes share counts for both. */
  rss: number;
}

/** A process, then its children, their children and so on. */
export async function processTree(root: number): Promise<TreeProcess[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-A", "-o", "pid=,ppid=,rss="] }).output();
  const all = new TextDecoder().decode(stdout).trim().split("\n").map((line) => {
    const [pid, parent, kilobytes] = line.trim().split(/\s+/).map(Number) as [number, number, number];
    return { pid, parent, rss: kilobytes * 1024 };
  });
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree.map(({ pid, rss }) => ({ pid, rss }));
}
