import { serverUser } from "../../setup/database/postgres_cluster.ts";

/** A file system of its own that can be filled. */
export interface SmallDisk {
  folder: string;
  /** Leaves not a byte. */
  fill(): Promise<void>;
  /** Makes the room again that `fill` took. */
  free(): Promise<void>;
  setReadOnly(isReadOnly: boolean): Promise<void>;
}

/**
 * Calls `fn` with a small disk in memory, which belongs to the servers' user.
 *
 * @returns why one cannot be mounted on this machine, or undefined
 */
export async function withSmallDisk(
  folder: string,
  { megabytes }: { megabytes: number },
  fn: (disk: SmallDisk) => Promise<void>,
): Promise<string | undefined> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return "not root on Linux, so no disk could be mounted";
  await Deno.mkdir(folder, { recursive: true });
  const failure = await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder]);
  if (failure) return failure;
  const owner = await serverUser();
  if (owner) await Deno.chown(folder, owner.uid, owner.gid);
  const ballast = `${folder}/ballast`;
  try {
    await fn({
      folder,
      fill: async () => void await run("dd", ["if=/dev/zero", `of=${ballast}`, "bs=4k"]),
      free: () => Deno.remove(ballast),
      async setReadOnly(isReadOnly) {
        const failure = await run("mount", ["-o", `remount,${isReadOnly ? "ro" : "rw"}`, folder]);
        if (failure) throw new Error(failure);
      },
    });
  } finally {
    // Lazily, because a server that was just stopped may still have a file open.
    await run("umount", ["-l", folder]);
  }
}

async function run(command: string, args: string[]): Promise<string | undefined> {
  const { success, stderr } = await new Deno.Command(command, { args, stdin: "null", cwd: "/" })
    .output();
  return success ? undefined : new TextDecoder().decode(stderr).trim();
}
