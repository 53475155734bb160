import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyFolder } from "../setup/copy_folder.ts";
import { PROJECT_REF } from "./management_api.ts";

/** No command here takes longer, not even with the CLI to be fetched. */
const TIMEOUT_MS = 300_000;

/** Where the CLI finds Supabase. */
export interface CliTarget {
  apiUrl: string;
  /** The address of the project's database. */
  databaseAddress: string;
}

/** The CLI asks for the database by name, and a process of its own view of /etc/hosts is all that can answer here. */
const WITH_HOSTS = 'mount --bind "$HOSTS" /etc/hosts && exec sh -e "$SCRIPT"';

/** Why names cannot be given addresses on this machine, or undefined. */
export async function namesAreFixed(): Promise<string | undefined> {
  const reason = "this user may not mount an /etc/hosts for the CLI to find the project's database";
  const { success } = await new Deno.Command("unshare", {
    args: ["--mount", "mount", "--bind", "/etc/hosts", "/etc/hosts"],
    stdout: "null",
    stderr: "null",
  }).output().catch(() => ({ success: false }));
  return success ? undefined : reason;
}

/** Runs a script of documented commands on a copy of the project, in `project` below `folder`. */
export async function runCommands(
  script: string,
  folder: string,
  { apiUrl, databaseAddress }: CliTarget,
): Promise<{ code: number; output: string }> {
  const project = join(folder, "project");
  const root = fileURLToPath(new URL("../..", import.meta.url));
  for (const name of ["supabase", "cli"]) await copyFolder(join(root, name), join(project, name));
  for (const name of ["deno.json", "deno.lock", "import_map.json"]) {
    await Deno.copyFile(join(root, name), join(project, name));
  }
  const file = (name: string) => join(folder, name);
  await Deno.writeTextFile(file("script"), script);
  await Deno.writeTextFile(file("profile.yaml"), profile(apiUrl));
  const hosts = await Deno.readTextFile("/etc/hosts");
  await Deno.writeTextFile(file("hosts"), `${hosts}\n${databaseAddress} db.${PROJECT_REF}.supabase.test\n`);
  const { code, stdout, stderr } = await new Deno.Command("unshare", {
    args: ["--mount", "sh", "-c", WITH_HOSTS],
    cwd: project,
    stdin: "null",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    env: {
      HOSTS: file("hosts"),
      SCRIPT: file("script"),
      SUPABASE_PROFILE: file("profile.yaml"),
      SUPABASE_HOME: folder,
      SUPABASE_TELEMETRY_DISABLED: "1",
      CI: "true",
      NO_COLOR: "1",
      PATH: `${dirname(Deno.execPath())}:${Deno.env.get("PATH")}`,
    },
  }).output();
  return { code, output: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

function profile(apiUrl: string): string {
  return [
    "name: test",
    `api_url: ${apiUrl}`,
    `dashboard_url: ${apiUrl}`,
    `docs_url: ${apiUrl}`,
    "project_host: supabase.test",
    "pooler_host: supabase.test",
    "",
  ].join("\n");
}
