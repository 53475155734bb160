import { join } from "node:path";
import { VERSION } from "../../supabase/functions/_shared/version.ts";
import { USER_ID } from "./base_files.ts";
import { runProgram } from "./run_program.ts";

export interface ImageTarget {
  /** The folder of the OCI layout; images of other tags in it stay. */
  layout: string;
  tag: string;
  /** The time that files and image carry, so that the same input makes the same image. */
  createdAt: Date;
}

/** The environment of the commands. Deno finds its packages there, and asks nobody for newer versions. */
const ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  DENO_DIR: "/srv/deno",
  DENO_NO_UPDATE_CHECK: "1",
  NO_COLOR: "1",
};

const LABELS = {
  "org.opencontainers.image.title": "outbound",
  "org.opencontainers.image.version": VERSION,
  "org.opencontainers.image.licenses": "MIT",
};

const PORT = 54321;

/** Packs a file tree into an image of one layer, whose files all belong to root. */
export async function packImage(rootfs: string, { layout, tag, createdAt }: ImageTarget): Promise<void> {
  const time = createdAt.toISOString();
  const image = `${layout}:${tag}`;
  const exists = await Deno.stat(join(layout, "index.json")).then(() => true, () => false);
  if (!exists) await runProgram("umoci", ["init", "--layout", layout]);
  await runProgram("umoci", ["new", "--image", image]);
  await setTimes(rootfs, createdAt);
  const history = ["--history.created", time, "--history.created_by", "deno task image"];
  await runProgram("umoci", ["insert", "--rootless", "--image", image, ...history, rootfs, "/"]);
  await runProgram("umoci", [
    ...["config", "--image", image, "--no-history", "--created", time],
    ...["--config.user", `${USER_ID}:${USER_ID}`],
    ...["--config.workingdir", "/srv/outbound"],
    ...["--config.entrypoint", "/srv/outbound/ops/image/entrypoint.sh", "--config.cmd", "serve"],
    ...["--config.exposedports", `${PORT}/tcp`, "--config.stopsignal", "SIGTERM"],
    ...Object.entries(ENVIRONMENT).flatMap(([name, value]) => ["--config.env", `${name}=${value}`]),
    ...Object.entries(LABELS).flatMap(([name, value]) => ["--config.label", `${name}=${value}`]),
  ]);
  await runProgram("umoci", ["gc", "--layout", layout]);
}

async function setTimes(path: string, time: Date): Promise<void> {
  for await (const { name, isDirectory, isSymlink } of Deno.readDir(path)) {
    if (isDirectory) await setTimes(join(path, name), time);
    // Deno would follow a link.
    else if (!isSymlink) await Deno.utime(join(path, name), time, time);
  }
  await Deno.utime(path, time, time);
}
