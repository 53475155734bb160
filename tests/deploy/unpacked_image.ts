import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withTempFolder } from "../setup/temp_folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** An image that was unpacked, to be run as its configuration says. */
export interface UnpackedImage {
  /** The process that a container would start. */
  process: { args: string[]; cwd: string; env: string[]; user: { uid: number; gid: number } };
  /** The image's own file tree. */
  rootfs: string;
  /** Returns the command that runs one of the image's commands on a read-only file tree. */
  command(args: string[], env?: Record<string, string>): Deno.Command;
}

/** Why this machine cannot make or run an image, or undefined. */
export async function imageHindrance(): Promise<string | undefined> {
  if (!await runs("umoci", ["--version"])) return "no umoci (apt-get install umoci)";
  if (!await runs("unshare", ["--mount", "--pid", "--fork", "true"])) {
    return "this user may not make namespaces";
  }
  return undefined;
}

/** Makes the image with `deno task image`, and calls `fn` with it. */
export async function withUnpackedImage(fn: (image: UnpackedImage) => Promise<void>): Promise<void> {
  await withTempFolder(async (folder) => {
    const layout = join(folder, "image");
    await run(Deno.execPath(), ["task", "--quiet", "image", "--out", layout, "--tag", "test"]);
    await run("umoci", ["unpack", "--image", `${layout}:test`, join(folder, "bundle")]);
    const { process } = JSON.parse(await Deno.readTextFile(join(folder, "bundle", "config.json")));
    const rootfs = join(folder, "bundle", "rootfs");
    const command = (args: string[], env = {}) => inContainer({ process, rootfs }, args, env);
    await fn({ process, rootfs, command });
  });
}

/** As a container does: its own mounts and processes, a read-only file tree, the image's user and variables. */
const CONTAINER = `
mount --bind "$ROOTFS" "$ROOTFS"
mount -o remount,bind,ro "$ROOTFS"
mount --rbind /dev "$ROOTFS/dev"
mount -t proc proc "$ROOTFS/proc"
exec env -i $ENVIRONMENT "$(command -v chroot)" --userspec="$USER_ID" "$ROOTFS" /bin/sh -c 'cd "$0" && exec "$@"' "$FOLDER" "$@"`;

function inContainer(
  { process, rootfs }: Pick<UnpackedImage, "process" | "rootfs">,
  args: string[],
  env: Record<string, string>,
): Deno.Command {
  const [entry] = process.args;
  const variables = [...process.env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  return new Deno.Command("unshare", {
    args: ["--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", CONTAINER, "sh", entry!, ...args],
    env: {
      ROOTFS: rootfs,
      FOLDER: process.cwd,
      USER_ID: `${process.user.uid}:${process.user.gid}`,
      ENVIRONMENT: variables.join(" "),
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Asks the first process of a container to stop, and waits until it has. */
export async function stopContainer({ pid, status }: Deno.ChildProcess): Promise<void> {
  const children = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`).catch(() => "");
  if (children.trim() !== "") Deno.kill(Number(children), "SIGTERM");
  await status;
}

async function runs(program: string, args: string[]): Promise<boolean> {
  const command = new Deno.Command(program, { args, stdout: "null", stderr: "null" });
  return await command.output().then(({ success }) => success, () => false);
}

async function run(program: string, args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args, cwd: ROOT, stdin: "null" }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
