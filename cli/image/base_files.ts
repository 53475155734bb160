import { join } from "node:path";
import { CommandError } from "../errors/command_error.ts";
import { runProgram } from "./run_program.ts";

/** The user that the commands run as; it owns no file of the image. */
export const USER_ID = 65_532;

/** Debian's C library for Deno, a shell for the entry point, and the certificates of the usual authorities. */
const PACKAGES = ["libc6", "libgcc-s1", "dash", "ca-certificates"];

/** Read by nobody here; the copyright files stay. */
const SUPERFLUOUS = ["usr/share/man", "usr/share/lintian", "usr/share/menu", "usr/share/debianutils"];

const CERTIFICATES = "usr/share/ca-certificates/mozilla";

/**
 * Writes the files below the application: Debian's libraries, unpacked from the packages of this machine's release, and
 * Deno.
 *
 * @param scratch an empty folder for the packages
 * @throws {CommandError} `build_failed` where apt or dpkg is missing, or a package cannot be had
 */
export async function writeBaseFiles(rootfs: string, scratch: string): Promise<void> {
  await runProgram("apt-get", ["download", "-q", ...PACKAGES], { cwd: scratch });
  for await (const { name } of Deno.readDir(scratch)) {
    await runProgram("dpkg", ["-x", join(scratch, name), rootfs]);
  }
  for (const path of SUPERFLUOUS) await Deno.remove(join(rootfs, path), { recursive: true }).catch(() => {});
  await writeCertificates(rootfs);
  await writeUsers(rootfs);
  await Deno.mkdir(join(rootfs, "usr/local/bin"), { recursive: true });
  await Deno.copyFile(Deno.execPath(), join(rootfs, "usr/local/bin/deno"));
  await Deno.chmod(join(rootfs, "usr/local/bin/deno"), 0o755);
  for (const folder of ["dev", "proc", "sys", "tmp"]) await Deno.mkdir(join(rootfs, folder));
  await Deno.chmod(join(rootfs, "tmp"), 0o1777);
}

/** Debian's package joins the certificates when it is installed; here it is only unpacked. */
async function writeCertificates(rootfs: string): Promise<void> {
  const folder = join(rootfs, CERTIFICATES);
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
  if (names.length === 0) throw new CommandError("build_failed", "ca-certificates holds no certificate");
  const texts = await Promise.all(names.map((name) => Deno.readTextFile(join(folder, name))));
  await Deno.mkdir(join(rootfs, "etc/ssl/certs"), { recursive: true });
  await Deno.writeTextFile(join(rootfs, "etc/ssl/certs/ca-certificates.crt"), texts.join(""));
}

async function writeUsers(rootfs: string): Promise<void> {
  const user = `outbound:x:${USER_ID}:${USER_ID}::/nonexistent:/usr/sbin/nologin\n`;
  await Deno.writeTextFile(join(rootfs, "etc/passwd"), `root:x:0:0:root:/root:/usr/sbin/nologin\n${user}`);
  await Deno.writeTextFile(join(rootfs, "etc/group"), `root:x:0:\noutbound:x:${USER_ID}:\n`);
  await Deno.writeTextFile(join(rootfs, "etc/nsswitch.conf"), "hosts: files dns\n");
}
