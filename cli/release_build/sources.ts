import { join } from "node:path";
import { CommandError } from "../errors/command_error.ts";
import { runProgram } from "./run_program.ts";

/** The sources of a release: the files of one commit, and nothing else that lies in the checkout. */
export interface Sources {
  /** The checkout, whose git has the commit. */
  root: string;
  /** A copy of the commit's files. */
  folder: string;
  commit: string;
  /** When it was made: the time of every file that names one. */
  time: Date;
}

/** A person's own settings of git would change an archive. */
const PLAIN = ["-c", "tar.umask=0022", "-c", "core.autocrlf=false"];

/** The changes of the working tree become a commit of no branch, which needs an author. */
const AUTHOR = ["-c", "user.name=outbound", "-c", "user.email=release@localhost"];

/**
 * Returns the last commit with a copy of its files in `folder`.
 *
 * @param options.allowChanges takes the changes of the working tree as well, if there are any
 * @throws {CommandError} `refused` when there are changes that are not allowed
 */
export async function copySources(
  root: string,
  folder: string,
  { allowChanges }: { allowChanges: boolean },
): Promise<Sources> {
  const git = (args: string[], env = {}) => runProgram("git", args, { cwd: root, env });
  const changes = await git(["status", "--porcelain"]);
  if (changes !== "" && !allowChanges) {
    throw new CommandError("refused", `Commit these changes first, or add --allow-changes:\n${changes}`);
  }
  const seconds = (await git(["log", "-1", "--format=%ct"])).trim();
  const date = `@${seconds} +0000`;
  const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const changed = changes === "" ? "" : (await git([...AUTHOR, "stash", "create"], dates)).trim();
  const commit = changed || (await git(["rev-parse", "HEAD"])).trim();
  const archive = join(folder, ".sources.tar");
  await git([...PLAIN, "archive", "--output", archive, commit]);
  await runProgram("tar", ["-xf", archive], { cwd: folder });
  await Deno.remove(archive);
  return { root, folder, commit, time: new Date(Number(seconds) * 1000) };
}

/** Returns the files below a folder of the commit, sorted, by their paths from there. */
export async function listFiles({ root, commit }: Sources, path: string): Promise<string[]> {
  const args = ["ls-tree", "-r", "-z", "--name-only", commit];
  const names = await runProgram("git", args, { cwd: join(root, path) });
  return names.split("\0").filter((name) => name !== "");
}

/**
 * Writes a folder of the commit as a `.tar.gz` whose bytes depend on the commit alone.
 *
 * @param options.path the folder, from the root
 * @param options.prefix what stands before the names in the archive
 */
export async function archiveFolder(
  { root, commit }: Sources,
  { path, prefix, out }: { path: string; prefix: string; out: string },
): Promise<void> {
  const args = ["archive", "--format=tar.gz", `--prefix=${prefix}`, "--output", out, commit];
  await runProgram("git", [...PLAIN, ...args], { cwd: join(root, path) });
}
