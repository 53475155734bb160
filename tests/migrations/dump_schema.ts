import { join } from "node:path";

/** Dumps schema `outbound` of a database as SQL, without settings, owners and versions. */
export async function dumpSchema(binariesFolder: string, url: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(join(binariesFolder, "pg_dump"), {
    args: ["--schema-only", "--no-owner", "--schema=outbound", `--dbname=${url}`],
    stdin: "null",
  }).output();
  if (!success) throw new Error(`pg_dump failed: ${new TextDecoder().decode(stderr).trim()}`);
  return withoutNoise(new TextDecoder().decode(stdout));
}

/** Drops what pg_dump adds around the objects: its comments, settings and blank lines. */
function withoutNoise(dump: string): string {
  return dump
    .replace(
      /^(--$|-- (Name|PostgreSQL|Dumped)\b.*|\\(un)?restrict .*|SET .*;|SELECT pg_catalog\.set_config.*)\n/gm,
      "",
    )
    .replace(/\n{3,}/g, "\n\n")
    .trim() + "\n";
}
