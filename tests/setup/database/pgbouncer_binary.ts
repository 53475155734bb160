import { findBinary } from "../find_binary.ts";

/** An installed PgBouncer. */
export interface PgbouncerBinary {
  path: string;
  /** Such as `[1, 18]`. From 1.21 on it can carry prepared statements from one server connection to the next. */
  version: [number, number];
}

/** Looks for PgBouncer where packages put it and on the PATH. */
export async function findPgbouncer(): Promise<PgbouncerBinary | undefined> {
  const path = await findBinary("pgbouncer");
  if (path === undefined) return undefined;
  const { stdout } = await new Deno.Command(path, { args: ["--version"], stdin: "null" }).output();
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(new TextDecoder().decode(stdout)) ?? [];
  return minor === undefined ? undefined : { path, version: [Number(major), Number(minor)] };
}
