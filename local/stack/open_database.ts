import { join } from "node:path";
import { startDatabase } from "../database/start.ts";
import { withProgress } from "./progress.ts";

export interface OpenDatabaseOptions {
  home: string;
  /** The Postgres to use instead of the embedded one. */
  databaseUrl: string | undefined;
  port: number;
  password: string;
  print: (line: string) => void;
  /** Called when the embedded database ends by itself. */
  onBroken: (error: Error) => void;
  /** Called, perhaps twice, when nothing that blocks this thread, such as an import, delays the opening. */
  onUnderWay: () => void;
}

export interface OpenDatabase {
  url: string;
  close(): Promise<void>;
}

/** Opens the embedded database of a home, or returns the configured one. */
export async function openDatabase(
  { home, databaseUrl, print, ...options }: OpenDatabaseOptions,
): Promise<OpenDatabase> {
  if (databaseUrl !== undefined) {
    options.onUnderWay();
    return { url: databaseUrl, close: () => Promise.resolve() };
  }
  return await withProgress(
    "Opening the database (the first time it is made, which takes some seconds)",
    print,
    () => startDatabase({ directory: join(home, "database"), ...options }),
  );
}
