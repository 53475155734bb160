import { join } from "node:path";

const PACKAGES = ["graphile-worker@0.18.0", "pg-boss@12.35.0", "node@22.23.3"];

/** The peers' scripts in a folder of their own, with their packages, and a Node new enough for them. */
export interface Peers {
  folder: string;
  node: string;
  /** The program that sends by River; undefined where Go is not installed. */
  river: string | undefined;
}

/** Installs the peers from npm, and River from its Go module, into `folder`, unless they are there already. */
export async function installPeers(folder: string): Promise<Peers> {
  const home = join(folder, "peers");
  const river = join(home, "river");
  const peers = { folder: home, node: join(home, "node_modules/node/bin/node"), river };
  if (await exists(home)) return { ...peers, river: await exists(river) ? river : undefined };
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
  return { ...peers, river: await buildRiver(river) };
}

/** Builds the peer of Go as `program`; undefined where there is no Go. */
async function buildRiver(program: string): Promise<string | undefined> {
  try {
    const { success, stderr } = await new Deno.Command("go", {
      args: ["build", "-o", program, "."],
      cwd: new URL("river/", import.meta.url),
      stdout: "null",
      stdin: "null",
    }).output();
    if (!success) throw new Error(`Go could not build River: ${new TextDecoder().decode(stderr)}`);
    return program;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
