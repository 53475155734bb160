import { dirname, join } from "node:path";
import type { JsonObject } from "../setup/http/http.ts";
import { DOCUMENT, install, makeClient, need, run, TOOLS } from "./make_client.ts";
import { openApi30 } from "./openapi_3_0.ts";

/** Its packages stay, compiled, and so does the lock, without which Cargo asks the registry. */
const CRATE = join(TOOLS, "progenitor-0.15.1");

const MANIFEST = `[package]
name = "client"
version = "0.0.0"
edition = "2021"

[dependencies]
bytes = "1"
chrono = { version = "0.4", default-features = false, features = ["serde"] }
futures-core = "0.3"
progenitor = "=0.15.1"
progenitor-client = "=0.15.1"
regress = "0.12"
reqwest = { version = "0.13", default-features = false, features = ["json", "query", "stream"] }
serde = { version = "1", features = ["derive"] }
serde_json = "1"
uuid = { version = "1", features = ["serde"] }
`;

const refusal = {
  description: "A refusal",
  content: { "application/json": { schema: { $ref: "#/components/schemas/AnyError" } } },
};

/** Leaves each operation one form of a success and one of a refusal, which is all that progenitor knows. */
function withOneRefusal({ paths, ...document }: JsonObject): JsonObject {
  for (
    const operation of Object.values<JsonObject>(paths).flatMap((path) => Object.values<JsonObject>(path))
  ) {
    const [success] = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
    operation.responses = { [success![0]]: success![1], "4XX": refusal, "5XX": refusal };
  }
  return { ...document, paths };
}

Deno.test("progenitor makes a client for Rust", ({ name }) =>
  makeClient(name, async () => {
    await need("cargo");
    const library = join(CRATE, "src/lib.rs");
    const document = withOneRefusal(openApi30(JSON.parse(await Deno.readTextFile(DOCUMENT))));
    await Deno.mkdir(dirname(library), { recursive: true });
    await Deno.writeTextFile(join(CRATE, "Cargo.toml"), MANIFEST);
    await Deno.writeTextFile(join(CRATE, "openapi.json"), JSON.stringify(document));
    await Deno.writeTextFile(library, "");
    await install(CRATE, ["cargo", "fetch", "--quiet"]);
    await install(CRATE, ["cargo", "check", "--quiet", "--offline"]);

    // The macro generates the client, which is then compiled.
    await Deno.writeTextFile(library, 'progenitor::generate_api!("openapi.json");\n');
    await run(CRATE, ["cargo", "check", "--quiet", "--offline"]);
  }));
