/**
 * `deno run -A tests/tools/install/install_programs.ts` installs what any of the tests uses, for `.ci/run`, which does so while it
 * checks other things.
 *
 * @module
 */
import { findChromium } from "../../browser/find_chromium.ts";
import { findFirefox } from "../../browser/find_firefox.ts";
import { aptHindrance, installPackages, updatePackageLists } from "./apt.ts";
import { findBinary } from "../../setup/find_binary.ts";
import { postgresPackages } from "./install_postgres.ts";
import { cacheNpmPostgres } from "./npm_postgres.ts";
import { findPostgres } from "../../setup/database/postgres_binaries.ts";

/** A program that some tests use. */
interface TestProgram {
  name: string;
  /** The test files that use it. */
  wantedBy: RegExp;
  isHere(): Promise<boolean>;
  /** Its Debian packages, by lists that are up to date. */
  packages(): Promise<string[]>;
}

const PROGRAMS: TestProgram[] = [
  {
    name: "Chromium",
    wantedBy: /^tests\/browser\//,
    isHere: () => Promise.resolve(findChromium() !== undefined),
    packages: () => Promise.resolve(["chromium"]),
  },
  {
    name: "Firefox",
    wantedBy: /^tests\/browser\/\w*firefox_test\.ts$/,
    isHere: async () => await findFirefox() !== undefined,
    packages: () => Promise.resolve(["firefox-esr"]),
  },
  {
    name: "PgBouncer",
    wantedBy: /^tests\/faults\/database\/(failover|pooler)_test\.ts$/,
    isHere: async () => await findBinary("pgbouncer") !== undefined,
    packages: () => Promise.resolve(["pgbouncer"]),
  },
  {
    name: "nginx",
    wantedBy: /^tests\/proxy\//,
    isHere: async () => await findBinary("nginx") !== undefined,
    packages: () => Promise.resolve(["nginx-light"]),
  },
  {
    name: "Prometheus",
    wantedBy: /^tests\/(prometheus|alerts)\//,
    isHere: async () => await findBinary("prometheus") !== undefined,
    packages: () => Promise.resolve(["prometheus"]),
  },
];

const POSTGRES: Omit<TestProgram, "wantedBy"> = {
  name: "Postgres with pg_cron",
  isHere: async () => (await findPostgres())?.hasCron === true,
  packages: postgresPackages,
};

/**
 * Installs, with one call of apt, the programs that the tests in `files` use and this machine lacks. Tests that miss
 * their program report themselves as skipped.
 *
 * @param files "all" stands for every test
 * @param options.postgres some of the tests run on a Postgres server
 * @param options.install false: only say what is missing
 * @returns why something is still missing, or undefined
 */
export async function installPrograms(
  files: string[] | "all",
  { postgres, install, report }: { postgres: boolean; install: boolean; report(line: string): void },
): Promise<string | undefined> {
  const wanted = [
    ...PROGRAMS.filter(({ wantedBy }) => files === "all" || files.some((file) => wantedBy.test(file))),
    ...postgres ? [POSTGRES] : [],
  ];
  const here = await Promise.all(wanted.map(({ isHere }) => isHere()));
  const missing = wanted.filter((_, index) => !here[index]);
  if (missing.length === 0) return undefined;
  const names = missing.map(({ name }) => name).join(", ");
  const hindrance = install ? await aptHindrance() : "--no-install";
  if (hindrance === undefined) report(`Installing ${names} with apt`);
  const failure = hindrance ?? await updatePackageLists() ??
    await installPackages((await Promise.all(missing.map(({ packages }) => packages()))).flat());
  if (failure !== undefined) report(`Missing: ${names} (${failure})`);
  return failure;
}

if (import.meta.main) {
  // deno-lint-ignore no-console -- a program of its own
  const report = (line: string) => console.log(line);
  const [failure] = await Promise.all([
    installPrograms("all", { postgres: true, install: true, report }),
    cacheNpmPostgres(),
  ]);
  Deno.exit(failure === undefined ? 0 : 1);
}
