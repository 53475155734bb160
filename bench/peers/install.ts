import { join } from "node:path";

const PACKAGES = ["graphile-worker@0.18.0", "pg-boss@12.35.0", "node@22.23.3"];

/** The peers' scripts in a folder of their own, with their packages, and a Node new enough for them. */
export interface Peers {
  folder: string;
  node: string;
}

/** Installs the peers from npm into `folder`, unless they are there already. */
export async function installPeers(folder: string): Promise<Peers> {
  const home = join(folder, "peers");
  const peers = { folder: home, node: join(home, "node_modules/node/bin/node") };
  if (await Deno.stat(home).catch(() => undefined)) return peers;
  await Deno.mkdir(home);
  await Deno.writeTextFile(join(home, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const { success, stderr } = await new Deno.Command("npm", {
    args: ["install", "--no-audit", "--no-fund", "--save-exact", ...PACKAGES],
    cwd: home,
    stdout: "null",
    stdin: "null",
  }).output();
  if (!success) throw new Error(`npm could not install the peers: ${new TextDecoder().decode(stderr)}`);
  for await (const { name } of Deno.readDir(new URL(".", import.meta.url))) {
    if (name.endsWith(".mjs")) await Deno.copyFile(new URL(name, import.meta.url), join(home, name));
  }
  return peers;
}
