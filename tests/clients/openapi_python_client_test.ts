import { dirname, join } from "node:path";
import { MEDIA_TYPES } from "../../supabase/functions/_shared/media/media_types.ts";
import { DOCUMENT, makeClient, needPythonProgram, run, runWithoutWarning } from "./make_client.ts";

const PROGRAM = { name: "openapi-python-client", version: "0.29.1", program: "openapi-python-client" };

/** The media types of recordings, of files with contacts, and of files to send. */
const BYTES = ["mpeg", "mp4", "ogg", "wav", "webm", "aac", "flac"].map((form) => `audio/${form}`)
  .concat("text/csv", "application/x-ndjson", MEDIA_TYPES);

Deno.test("openapi-python-client makes a client for Python", ({ name }) =>
  makeClient(name, async (folder) => {
    const program = await needPythonProgram(PROGRAM);
    const bin = dirname(program);
    const config = join(folder, "config.json");
    // It knows bytes by this type only.
    const content_type_overrides = Object.fromEntries(
      BYTES.map((type) => [type, "application/octet-stream"]),
    );
    await Deno.writeTextFile(config, JSON.stringify({ content_type_overrides }));
    const options = ["--output-path", join(folder, "client"), "--meta", "none", "--config", config];
    // It formats what it wrote with `ruff`, which is beside it.
    const env = { PATH: `${bin}:${Deno.env.get("PATH")}` };

    const generate = [program, "generate", "--path", DOCUMENT, ...options, "--fail-on-warning"];
    await runWithoutWarning(folder, generate, env);
    await run(folder, [join(bin, "python"), "-m", "compileall", "-q", "client"]);
  }));
