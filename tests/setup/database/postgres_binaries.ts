import { dirname, join } from "node:path";

/** An installed Postgres server. */
export interface PostgresBinaries {
  /** Folder of `initdb`, `pg_ctl` and the rest. */
  folder: string;
  major: number;
  hasCron: boolean;
}

/** The oldest Postgres that the service supports. */
export const MIN_MAJOR = 15;

/**
 * Looks for a Postgres server of version 15 or later where packages put it and on the PATH. The newest with pg_cron
 * wins; without one, the newest.
 */
export async function findPostgres(): Promise<PostgresBinaries | undefined> {
  return (await findAllPostgres())
    .sort((a, b) => Number(b.hasCron) - Number(a.hasCron) || b.major - a.major)[0];
}

/** Every Postgres server of version 15 or later on this machine. */
export async function findAllPostgres(): Promise<PostgresBinaries[]> {
  const found = await Promise.all((await candidateFolders()).map(inspect));
  return found.filter((server): server is PostgresBinaries =>
    server !== undefined && server.major >= MIN_MAJOR
  );
}

async function candidateFolders(): Promise<string[]> {
  const folders = (Deno.env.get("PATH") ?? "").split(":").filter((folder) => folder !== "");
  for (const parent of ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"]) {
    const entries = await Array.fromAsync(Deno.readDir(parent)).catch(() => []);
    folders.push(...entries.map((entry) => join(parent, entry.name, "bin")));
  }
  return [...new Set(folders)];
}

/** A PATH folder may hold links to some programs only, so the folder they point to is what counts. */
async function inspect(candidate: string): Promise<PostgresBinaries | undefined> {
  const folder = await Deno.realPath(join(candidate, "postgres")).then(dirname, () => candidate);
  if (!await exists(join(folder, "initdb")) || !await exists(join(folder, "postgres"))) return undefined;
  const { stdout } = await new Deno.Command(join(folder, "postgres"), { args: ["--version"], stdin: "null" })
    .output();
  const major = Number(/ (\d+)/.exec(new TextDecoder().decode(stdout))?.[1] ?? 0);
  const shares = [
    `/usr/share/postgresql/${major}`,
    join(folder, "../share/postgresql"),
    join(folder, "../share"),
  ];
  const controls = shares.map((share) => exists(join(share, "extension/pg_cron.control")));
  return { folder, major, hasCron: (await Promise.all(controls)).includes(true) };
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
