import { join } from "node:path";
import type { FoundPackages, NpmPackage } from "./find_packages.ts";

const LICENCE_FILE = /^(licen[cs]e|notice|copying)/i;

/** The licences of the packages whose code is in the files, as their authors ask for. */
export async function thirdPartyNotices({ all }: Pick<FoundPackages, "all">): Promise<string> {
  const notices = await Promise.all(all.map(noticeOf));
  return `These files contain or come with the following packages.\n\n${notices.join("\n")}`;
}

async function noticeOf({ name, version, localPath }: NpmPackage): Promise<string> {
  const { license } = JSON.parse(await Deno.readTextFile(join(localPath, "package.json")));
  const texts: string[] = [];
  for (const entry of [...Deno.readDirSync(localPath)].sort((a, b) => a.name < b.name ? -1 : 1)) {
    if (entry.isFile && LICENCE_FILE.test(entry.name)) {
      texts.push(await Deno.readTextFile(join(localPath, entry.name)));
    }
  }
  return [`${"=".repeat(80)}`, `${name} ${version}, ${license}`, "", ...texts].join("\n");
}
