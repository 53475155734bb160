import { findBinary } from "../setup/find_binary.ts";

/** Returns the path of this machine's Firefox; undefined when it has none. Debian has it as firefox-esr. */
export async function findFirefox(): Promise<string | undefined> {
  return await findBinary("firefox-esr") ?? await findBinary("firefox");
}
