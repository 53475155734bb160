import { readMigrations } from "../../../cli/migrations/read.ts";
import * as present from "./version.ts";

/** A version of the service, as `version.ts` describes it. Recorded ones stay as they are: keep the names that they export. */
export type Version = typeof present;

/** A release, and the newest migration that it knows. */
export interface Release {
  migration: string;
  load(): Promise<Version>;
}

/** The versions as they were at their releases, by the newest migration that they know. */
export const RELEASES = new URL("./releases/", import.meta.url);

/** Returns all recorded releases, the oldest first; before the first one, the present version. */
export async function readReleases(): Promise<Release[]> {
  const files: string[] = [];
  try {
    for await (const { name } of Deno.readDir(RELEASES)) files.push(name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const recorded = files.filter((name) => name.endsWith(".js")).sort();
  if (recorded.length > 0) {
    return recorded.map((name) => ({
      migration: name.replace(".js", ""),
      load: () => import(new URL(name, RELEASES).href),
    }));
  }
  const newest = (await readMigrations()).at(-1)!.version;
  return [{ migration: newest, load: () => Promise.resolve(present) }];
}
