import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withTempFolder } from "../setup/temp_folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The files that the Dockerfile makes, on this machine's own system instead of its base image. */
export interface ServiceImage {
  /** The content of its `/srv`. */
  app: string;
  /** Returns the command that runs one of the image's commands as a container does. */
  command(args: string[], env?: Record<string, string>): Deno.Command;
}

/** Why this machine cannot run the image's files as a container, or undefined. */
export async function imageHindrance(): Promise<string | undefined> {
  const command = new Deno.Command("unshare", {
    args: ["--mount", "--pid", "--fork", "true"],
    ...{ stdout: "null", stderr: "null" },
  });
  const isAllowed = await command.output().then(({ success }) => success, () => false);
  return isAllowed ? undefined : "this user may not make namespaces";
}

/** Makes the image's files with the command of the Dockerfile, and calls `fn` with them. */
export async function withServiceImage(fn: (image: ServiceImage) => Promise<void>): Promise<void> {
  const dockerfile = await Deno.readTextFile(join(ROOT, "Dockerfile"));
  await withTempFolder(async (folder) => {
    const app = join(folder, "srv");
    await run(read(dockerfile, /^RUN deno (.*) \/srv$/m).split(" "), app);
    await Deno.mkdir(join(folder, "bin"));
    await Deno.copyFile(Deno.execPath(), join(folder, "bin/deno"));
    await fn({ app, command: (args, env = {}) => inContainer({ dockerfile, folder }, args, env) });
  });
}

/** Its own mounts and processes, a read-only file tree, and the user and the variables of the image. */
const CONTAINER = `
mount --bind "$IMAGE/bin" /usr/local/bin
mount --bind "$IMAGE/srv" /srv
mount -t tmpfs none "$(dirname "$IMAGE")"
for each in $(findmnt --raw --noheadings --output TARGET); do
  case $each in /proc* | /dev* | /sys*) ;; *) mount -o remount,bind,ro "$each" ;; esac
done
mount -t proc proc /proc
cd "$FOLDER"
exec env -i $ENVIRONMENT setpriv --reuid="$USER_ID" --regid="$GROUP_ID" --clear-groups --no-new-privs "$@"`;

function inContainer(
  { dockerfile, folder }: { dockerfile: string; folder: string },
  args: string[],
  env: Record<string, string>,
): Deno.Command {
  const [user, group] = read(dockerfile, /^USER (.*)$/m).split(":");
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const path = "PATH=/usr/local/bin:/usr/bin:/bin";
  return new Deno.Command("unshare", {
    args: [
      ...["--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", CONTAINER, "sh"],
      ...JSON.parse(read(dockerfile, /^ENTRYPOINT (.*)$/m)),
      ...args,
    ],
    env: {
      IMAGE: folder,
      FOLDER: read(dockerfile, /^WORKDIR (\/srv.*)$/m),
      ...{ USER_ID: user!, GROUP_ID: group! },
      ENVIRONMENT: [path, read(dockerfile, /^ENV (.*)$/m), ...variables].join(" "),
    },
    ...{ stdin: "null", stdout: "piped", stderr: "piped" },
  });
}

/** Asks the first process of a container to stop, and waits until it has. */
export async function stopContainer({ pid, status }: Deno.ChildProcess): Promise<void> {
  const children = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`).catch(() => "");
  if (children.trim() !== "") Deno.kill(Number(children), "SIGTERM");
  await status;
}

function read(dockerfile: string, pattern: RegExp): string {
  const [, found] = pattern.exec(dockerfile) ?? [];
  if (found === undefined) throw new Error(`The Dockerfile lacks ${pattern}`);
  return found;
}

async function run(args: string[], folder: string): Promise<void> {
  const command = new Deno.Command(Deno.execPath(), { args: [...args, folder], cwd: ROOT, stdin: "null" });
  const { success, stderr } = await command.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
