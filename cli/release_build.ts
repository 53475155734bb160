import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandError } from "./errors/command_error.ts";
import { type Artifact, buildRelease } from "./release_build/build_release.ts";
import { exitCodeOf, readOptions } from "./terminal/command_line.ts";
import { print, printError, printJson } from "./terminal/print.ts";
import { VERSION } from "../supabase/functions/_shared/values/version.ts";

const HELP = `Usage: deno task release:build [--out DIR] [--version VERSION] [--allow-changes] [--json]

Builds all that a release publishes into one folder, from the last commit: the clients as packages of npm, PyPI and Go's
proxy, the image for amd64 and arm64, the Helm chart, the API document and its Postman collection, the bill of
materials, the changelog of the version, and SHA256SUMS. Publishes nothing: CONTRIBUTING.md says how.

Two builds of one commit have the same bytes. What needs a program that is not here is skipped and named.

  --out DIR          where the files go (default dist/release); replaces an earlier build there, and nothing else
  --version VERSION  fail unless the sources have this version, such as that of a tag
  --allow-changes    build what is changed but not committed, too, for a trial; files that git does not know stay out
  --json             print one JSON object with each file's path, size and SHA-256; progress goes to standard error
  --help             print this text

Examples:
  deno task release:build
  deno task release:build --version ${VERSION} --out /srv/release
  deno task --quiet release:build --allow-changes --json`;

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");

/** Runs the command `deno task release:build` and returns its exit code. */
async function releaseBuild(args: string[]): Promise<number> {
  const options = readOptions(args, {
    out: { type: "string", default: join(ROOT, "dist", "release") },
    version: { type: "string", default: VERSION },
    "allow-changes": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  if (options.version !== VERSION) {
    throw new CommandError("refused", `--version is ${options.version}, but the sources have ${VERSION}`);
  }
  const release = await buildRelease({
    root: ROOT,
    out: resolve(options.out),
    allowChanges: options["allow-changes"],
    report: (artifact) => (options.json ? printError : print)(describe(artifact)),
  });
  if (options.json) printJson(release);
  else print(`Built ${release.version} of commit ${release.commit} into ${release.out}`);
  return 0;
}

function describe({ name, files, skipped }: Artifact): string {
  const what = skipped === undefined ? files.map(({ path }) => path).join(", ") : `skipped: ${skipped}`;
  return `${name.padEnd(9)}  ${what}`;
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => releaseBuild(Deno.args)));
