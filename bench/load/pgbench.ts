import { join } from "node:path";

/** The transaction to run, and how hard. */
export interface PgbenchLoad {
  /** Where `pgbench` is. */
  binaries: string;
  databaseUrl: string;
  /** The SQL of one transaction. */
  script: string;
  clients: number;
  seconds: number;
}

/**
 * Runs a transaction without pause, over as many connections as there are clients, prepared. Returns
 * transactions a second, without the time to connect.
 *
 * @throws Error when one failed
 */
export async function runPgbench(
  { binaries, databaseUrl, script, clients, seconds }: PgbenchLoad,
): Promise<number> {
  const file = await Deno.makeTempFile({ suffix: ".sql" });
  try {
    await Deno.writeTextFile(file, script);
    const args = [
      "-n",
      "-M",
      "prepared",
      "-c",
      `${clients}`,
      "-j",
      `${Math.min(2, clients)}`,
      "-T",
      `${seconds}`,
    ];
    const { success, stdout, stderr } = await new Deno.Command(join(binaries, "pgbench"), {
      args: [...args, "-f", file, databaseUrl],
      stdin: "null",
    }).output();
    const text = new TextDecoder().decode(stdout);
    const rate = /^tps = ([\d.]+) /m.exec(text)?.[1];
    if (!success || rate === undefined) {
      throw new Error(`pgbench said: ${text}${new TextDecoder().decode(stderr)}`);
    }
    return Number(rate);
  } finally {
    await Deno.remove(file);
  }
}
