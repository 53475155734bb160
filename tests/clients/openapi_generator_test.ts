import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { DOCUMENT, install, makeClient, need, needPythonProgram, run } from "./make_client.ts";

const PROGRAM = { name: "openapi-generator-cli", version: "7.16.0", program: "openapi-generator-cli" };
const FIND_JAR =
  "import importlib.resources as r; print(r.files('openapi_generator_cli') / 'openapi-generator.jar')";

/** A client, without methods for the webhooks: their receiver needs the types of the events only. */
const PARTS = "apis,models,supportingFiles";
/** Neither pages nor tests of the client, which take longer than the client. */
const OMITTED = ["apiDocs", "modelDocs", "apiTests", "modelTests"].map((part) => `${part}=false`);
const PROPERTIES = ["--global-property", [PARTS, ...OMITTED].join()];

/** Writes a client into `folder`; returns the Python that the generator was installed with. */
async function generate(folder: string, document: string, options: string[]): Promise<string> {
  await need("java");
  const python = join(dirname(await needPythonProgram(PROGRAM)), "python");
  const jar = await install(folder, [python, "-c", FIND_JAR]);
  const java = ["java", "-XX:TieredStopAtLevel=1", "-jar", jar];
  await install(folder, [...java, "version"]);
  await run(folder, [...java, "generate", "-i", document, "-o", folder, ...PROPERTIES, ...options]);
  return python;
}

/** Writes a client for Go; its names of enum values are unique with that property only. */
async function generateGo(folder: string, document: string): Promise<void> {
  await need("go");
  await generate(folder, document, ["-g", "go", "--additional-properties=enumClassPrefix=true"]);
  await install(folder, ["go", "mod", "tidy"]);
}

const compileGo = (folder: string) => run(folder, ["go", "vet", "./..."]);

Deno.test("openapi-generator makes a client for Python", ({ name }) =>
  makeClient(name, async (folder) => {
    const python = await generate(folder, DOCUMENT, ["-g", "python"]);
    await install(folder, [python, "-m", "pip", "install", "--quiet", "-r", "requirements.txt"]);

    await run(folder, [python, "-c", "import openapi_client"]);
  }));

Deno.test("openapi-generator makes a client for Go", ({ name }) =>
  makeClient(name, async (folder) => {
    await generateGo(folder, DOCUMENT);

    await compileGo(folder);
  }));

Deno.test("openapi-generator makes a client for Java", ({ name }) =>
  makeClient(name, async (folder) => {
    await need("mvn", "javac");
    await generate(folder, DOCUMENT, ["-g", "java"]);
    const compile = ["mvn", "--quiet", "--batch-mode", "-Dmaven.test.skip=true", "compile"];
    await install(folder, [...compile, "-Dmaven.main.skip=true"]);

    await run(folder, [...compile, "--offline"]);
  }));

/** In Go, the first one's constructor has the name of the second one. */
const COLLIDING = {
  Agent: { type: "object", properties: { name: { type: "string" } } },
  NewAgent: { type: "object", properties: { names: { type: "string" } } },
};

Deno.test("names that collide are found", ({ name }) =>
  makeClient(name, async (folder) => {
    const document = join(folder, "document.json");
    const { openapi, info } = JSON.parse(await Deno.readTextFile(DOCUMENT));
    await Deno.writeTextFile(
      document,
      JSON.stringify({ openapi, info, paths: {}, components: { schemas: COLLIDING } }),
    );
    await generateGo(folder, document);

    await assert.rejects(compileGo(folder), /NewAgent redeclared/);
  }));
