import { join } from "node:path";
import { eventually } from "../setup/eventually.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { freePort } from "../setup/database/postgres_cluster.ts";

const DOCUMENTED = new URL("../../docs/proxy/nginx.conf", import.meta.url);

/** Changes of a test to the documented file: where things are, and a limit that is soon reached. */
const CHANGES = (port: number, upstream: string, folder: string): Change[] => [
  [/\/var\/log\/nginx\//g, `${folder}/`],
  [/listen 443 ssl http2;/, `listen 127.0.0.1:${port};`],
  [/^ *ssl_.*\n/gm, ""],
  [/127\.0\.0\.1:54321/, upstream],
  [/(limit_conn +outbound_addresses) 200/, `$1 ${MAX_REQUESTS}`],
];

type Change = [documented: RegExp, tested: string];

/** Clients that are to run out of time do so soon. Any other client may stand still for longer on a busy machine. */
const IMPATIENT: Change = [/(client_\w+_timeout +)10s/g, "$11s"];

/** How many requests of one address the tested nginx lets through at once. */
export const MAX_REQUESTS = 3;

/** Runs `use` with nginx and the documented file in front of the server at `upstream`. */
export async function withNginx(
  binary: string,
  upstream: string,
  use: (port: number, logs: () => Promise<string>) => Promise<void>,
  { isImpatient = false }: { isImpatient?: boolean } = {},
): Promise<void> {
  await withTempFolder(async (folder) => {
    const port = freePort();
    const changes = [...CHANGES(port, new URL(upstream).host, folder), ...isImpatient ? [IMPATIENT] : []];
    await Deno.writeTextFile(join(folder, "site.conf"), await testedFile(changes));
    await Deno.writeTextFile(join(folder, "nginx.conf"), mainFile(folder));
    const nginx = new Deno.Command(binary, {
      args: ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      await eventually(async () => (await Deno.connect({ hostname: "127.0.0.1", port })).close());
      await use(port, () => readLogs(folder));
    } finally {
      nginx.kill("SIGTERM");
      await nginx.status;
    }
  });
}

/** All that nginx wrote so far. */
async function readLogs(folder: string): Promise<string> {
  const names = ["outbound.log", "outbound-error.log", "error.log"];
  const texts = await Promise.all(names.map((name) => Deno.readTextFile(join(folder, name))));
  return texts.join("");
}

async function testedFile(changes: Change[]): Promise<string> {
  let text = await Deno.readTextFile(DOCUMENTED);
  for (const [documented, tested] of changes) {
    const changed = text.replace(documented, tested);
    if (changed === text) throw new Error(`docs/proxy/nginx.conf has no ${documented} any more`);
    text = changed;
  }
  return text;
}

/** Returns the main file that includes `site.conf`, in place of Debian's /etc/nginx/nginx.conf. */
function mainFile(folder: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `  ${kind}_temp_path ${folder}/${kind};\n`).join("");
  const user = Deno.uid() === 0 ? "user root;\n" : "";
  return `${user}daemon off;\nworker_processes 1;\npid ${folder}/pid;\nevents {}\n` +
    `http {\n  access_log off;\n${temporary}  include ${folder}/site.conf;\n}\n`;
}
