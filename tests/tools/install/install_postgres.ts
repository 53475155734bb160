import { apt, installPackages, updatePackageLists } from "./apt.ts";
import { MIN_MAJOR } from "../../setup/database/postgres_binaries.ts";

/**
 * Installs Postgres and pg_cron with apt, the newest version that has both.
 *
 * @returns why it could not be done, or undefined
 */
export async function installPostgres(): Promise<string | undefined> {
  const failure = await updatePackageLists();
  if (failure) return failure;
  const packages = await postgresPackages();
  if (packages.length === 0) return `apt has no pg_cron for Postgres ${MIN_MAJOR} or later`;
  return await installPackages(packages);
}

/** Returns the Debian packages of the newest Postgres that apt has together with pg_cron; none if there is none. */
export async function postgresPackages(): Promise<string[]> {
  const { output } = await apt("apt-cache", ["search", "--names-only", "^postgresql-[0-9]+-cron$"]);
  const majors = [...output.matchAll(/^postgresql-(\d+)-cron /gm)].map((match) => Number(match[1]));
  const major = Math.max(0, ...majors);
  if (major < MIN_MAJOR) return [];
  return [`postgresql-${major}`, `postgresql-${major}-cron`, `postgresql-${major}-plpgsql-check`];
}
