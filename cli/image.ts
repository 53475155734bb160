import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { VERSION } from "../supabase/functions/_shared/version.ts";
import { exitCodeOf, readOptions } from "./command_line.ts";
import { CommandError } from "./errors/command_error.ts";
import { copyTree, writeAppFiles } from "./image/app_files.ts";
import { writeBaseFiles } from "./image/base_files.ts";
import { packImage } from "./image/oci_image.ts";
import { print, printError, printJson } from "./print.ts";

const HELP = `Usage: deno task image [--out DIR] [--tag TAG] [--json]
       deno task image --app-only DIR

Makes the OCI image of the service without Docker, on Debian with umoci (apt-get install umoci): Debian's C library and
certificates, Deno, the sources, and the packages that production needs. It runs serve, dispatch, migrate, admin, doctor
or health as user 65532, and writes no file. Files carry the time of SOURCE_DATE_EPOCH (default 0), so that
the same sources on the same Debian make the same image.

  --out DIR       the OCI layout (default dist/image); other tags in it stay
  --tag TAG       default: the version, ${VERSION}
  --app-only DIR  only write sources and packages to DIR/outbound and DIR/deno, as a Dockerfile does
  --json          print one JSON object: {"image": "<layout>:<tag>"}
  --help          print this text

Examples:
  deno task image
  skopeo copy oci:dist/image:${VERSION} docker://registry.example.com/outbound:${VERSION}
`;

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");

/** The form of a tag. Source: OCI distribution specification. */
const TAG = /^\w[\w.-]{0,127}$/;

/** Runs the command `deno task image` and returns its exit code. */
async function image(args: string[]): Promise<number> {
  const options = readOptions(args, {
    out: { type: "string", default: join(ROOT, "dist", "image") },
    tag: { type: "string", default: VERSION },
    "app-only": { type: "string" },
    json: { type: "boolean" },
    help: { type: "boolean" },
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const { tag, "app-only": appOnly } = options;
  if (!TAG.test(tag)) throw new CommandError("usage", "--tag: expected letters, digits, '.', '_' and '-'");
  if (appOnly !== undefined) {
    await writeApp(resolve(appOnly));
    return 0;
  }
  const layout = resolve(options.out);
  await buildImage({
    layout,
    tag,
    createdAt: new Date(Number(Deno.env.get("SOURCE_DATE_EPOCH") ?? 0) * 1000),
  });
  if (options.json) printJson({ image: `${layout}:${tag}` });
  else print(`Built ${layout}:${tag}`);
  return 0;
}

async function buildImage(target: { layout: string; tag: string; createdAt: Date }): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "outbound-image-" });
  const [rootfs, scratch] = [join(folder, "rootfs"), join(folder, "packages")];
  try {
    await Promise.all([rootfs, scratch].map((each) => Deno.mkdir(each)));
    printError("1/3 Debian's libraries and Deno");
    await writeBaseFiles(rootfs, scratch);
    printError("2/3 Sources and packages");
    await writeApp(join(rootfs, "srv"));
    printError("3/3 The image");
    await Deno.mkdir(resolve(target.layout, ".."), { recursive: true });
    await packImage(rootfs, target);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function writeApp(folder: string): Promise<void> {
  const app = join(folder, "outbound");
  await copyTree(join(ROOT, "ops", "image"), join(app, "ops", "image"));
  await writeAppFiles(ROOT, { app, denoDir: join(folder, "deno") });
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => image(Deno.args)));
