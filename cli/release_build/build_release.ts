import { dirname, join } from "node:path";
import { CommandError } from "../errors/command_error.ts";
import { VERSION } from "../../supabase/functions/_shared/values/version.ts";
import { ARTIFACTS } from "./artifacts.ts";
import { MissingProgram } from "./run_program.ts";
import { copySources } from "./sources.ts";

/** A file of a release. */
export interface ReleasedFile {
  /** From the folder of the release. */
  path: string;
  bytes: number;
  sha256: string;
}

/** A part of a release: its files, or why it was skipped. */
export interface Artifact {
  name: string;
  files: ReleasedFile[];
  skipped?: string;
}

/** A release in a folder. */
export interface Release {
  version: string;
  commit: string;
  out: string;
  artifacts: Artifact[];
}

/** The sources of a release, and where its files go. */
export interface ReleaseOptions {
  /** The root of the repository. */
  root: string;
  /** Absent, empty, or an earlier build, which is replaced. */
  out: string;
  /** Takes what is not committed as well. */
  allowChanges: boolean;
  /** Is called after each artifact. */
  report(artifact: Artifact): void;
}

const SUMS = "SHA256SUMS";

/**
 * Builds each artifact of the release. The folder has all of them, or stays as it was.
 *
 * @throws {CommandError} `refused` for a folder with other files or changes that are not committed, `build_failed`
 */
export async function buildRelease({ root, out, allowChanges, report }: ReleaseOptions): Promise<Release> {
  await refuseOtherFiles(out);
  await Deno.mkdir(dirname(out), { recursive: true });
  const temp = await Deno.makeTempDir({ dir: dirname(out), prefix: ".release-" });
  const [folder, built] = [join(temp, "sources"), join(temp, "built")];
  try {
    await Deno.mkdir(folder);
    await Deno.mkdir(built);
    const sources = await copySources(root, folder, { allowChanges });
    const artifacts: Artifact[] = [];
    for (const [name, build] of Object.entries(ARTIFACTS)) {
      const artifact = await buildArtifact(name, () => build(sources, built), built);
      report(artifact);
      artifacts.push(artifact);
    }
    await Deno.writeTextFile(join(built, SUMS), sums(artifacts));
    await Deno.remove(out, { recursive: true }).catch(ignoreMissing);
    await Deno.rename(built, out);
    return { version: VERSION, commit: sources.commit, out, artifacts };
  } finally {
    await Deno.remove(temp, { recursive: true });
  }
}

/** The folder is removed: a user's own files must not be in it. */
async function refuseOtherFiles(out: string): Promise<void> {
  const names = await Array.fromAsync(Deno.readDir(out), ({ name }) => name).catch(ignoreMissing) ?? [];
  if (names.length === 0 || names.includes(SUMS)) return;
  throw new CommandError("refused", `${out} has files that are no earlier build: name another folder`);
}

async function buildArtifact(
  name: string,
  build: () => Promise<string[]>,
  folder: string,
): Promise<Artifact> {
  try {
    const paths = await build();
    return { name, files: await Promise.all(paths.sort().map((path) => describeFile(folder, path))) };
  } catch (error) {
    if (error instanceof MissingProgram) return { name, files: [], skipped: error.message };
    throw error;
  }
}

async function describeFile(folder: string, path: string): Promise<ReleasedFile> {
  const bytes = await Deno.readFile(join(folder, path));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return { path, bytes: bytes.length, sha256: digest.toHex() };
}

/** As `sha256sum --check` reads it. */
function sums(artifacts: Artifact[]): string {
  return artifacts.flatMap(({ files }) => files.map(({ path, sha256 }) => `${sha256}  ${path}\n`)).join("");
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw new CommandError("refused", (error as Error).message);
}
