import { installPackages, updatePackageLists } from "./apt.ts";

/** An installed PgBouncer. */
export interface PgbouncerBinary {
  path: string;
  /** Such as `[1, 18]`. From 1.21 on it can carry prepared statements from one server connection to the next. */
  version: [number, number];
}

/** Looks for PgBouncer where packages put it and on the PATH. */
export async function findPgbouncer(): Promise<PgbouncerBinary | undefined> {
  const folders = (Deno.env.get("PATH") ?? "").split(":").filter((folder) => folder !== "");
  for (const folder of [...folders, "/usr/sbin", "/opt/homebrew/bin", "/usr/local/bin"]) {
    const path = `${folder}/pgbouncer`;
    if (!await Deno.stat(path).then(({ isFile }) => isFile, () => false)) continue;
    const { stdout } = await new Deno.Command(path, { args: ["--version"], stdin: "null" }).output();
    const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(new TextDecoder().decode(stdout)) ?? [];
    if (minor !== undefined) return { path, version: [Number(major), Number(minor)] };
  }
}

/**
 * Installs PgBouncer with apt.
 *
 * @returns why it could not be done, or undefined
 */
export async function installPgbouncer(): Promise<string | undefined> {
  return await updatePackageLists() ?? await installPackages(["pgbouncer"]);
}
