import { dirname } from "node:path";
import { VERSION } from "../../supabase/functions/_shared/values/version.ts";
import { CommandError } from "../errors/command_error.ts";
import { MissingProgram, runProgram } from "./run_program.ts";
import type { Sources } from "./sources.ts";

const PLATFORMS = "linux/amd64,linux/arm64";

const START_BUILDER = ["buildx", "inspect", "--bootstrap"];

/**
 * Builds the image for each platform into one OCI layout, the file `out`.
 *
 * @throws {MissingProgram} without docker, its buildx, or a running daemon
 */
export async function writeImage({ folder, commit, time }: Sources, out: string): Promise<void> {
  await needBuilder(folder);
  await Deno.mkdir(dirname(out));
  const labels = { version: VERSION, revision: commit, created: time.toISOString(), licenses: "MIT" };
  await runProgram("docker", [
    ...[
      "buildx",
      "build",
      "--platform",
      PLATFORMS,
      "--output",
      `type=oci,dest=${out},rewrite-timestamp=true`,
    ],
    // Attestations hold the time of the build.
    ...["--provenance=false", "--sbom=false"],
    ...["--build-arg", `SOURCE_DATE_EPOCH=${time.getTime() / 1000}`],
    ...Object.entries(labels).flatMap((
      [name, text],
    ) => ["--label", `org.opencontainers.image.${name}=${text}`]),
    ".",
  ], { cwd: folder });
}

/** Starts the builder, so that a later failure is one of the build. */
async function needBuilder(cwd: string): Promise<void> {
  try {
    await runProgram("docker", START_BUILDER, { cwd });
  } catch (error) {
    if (!(error instanceof CommandError) || error instanceof MissingProgram) throw error;
    throw new MissingProgram(`no builder of images here ("docker ${START_BUILDER.join(" ")}" says why)`);
  }
}
