import assert from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import { runDevProgram } from "../../cli/dev_program.ts";
import type { Release } from "../../cli/release_build/build_release.ts";
import { VERSION } from "../../supabase/functions/_shared/values/version.ts";
import { makeClient, need, run } from "../clients/make_client.ts";
import { installPackedClient, ROOT, run as runIn } from "../sdk/packed_client.ts";
import { installWheel } from "../sdk/python_client.ts";
import { skipped } from "../setup/skipped.ts";
import { withTempFolder } from "../setup/temp_folder.ts";

const DOCUMENT = "supabase/functions/openapi/document.json";
const MODULE = "github.com/outbound/outbound-go";

/** Writes what it was called with instead of an image, as the builder would be asked for it. */
const DOCKER = `#!/bin/sh
for each in "$@"; do
  case $each in type=oci,dest=*) out=\${each#*dest=}; echo "$@" >"\${out%%,*}" ;; esac
done`;

/** Builds a release with the command, and returns what it prints. */
async function build(out: string, env: Record<string, string>): Promise<Release> {
  const task = ["task", "--quiet", "release:build", "--allow-changes", "--json", "--out", out];
  return JSON.parse(await runIn(Deno.execPath(), task, ROOT, env));
}

Deno.test("a release is the same each time, and each of its files works in a fresh folder", async (t) => {
  await withTempFolder(async (folder) => {
    const out = join(folder, "first");
    const second = join(folder, "other/second");
    await Deno.writeTextFile(join(folder, "docker"), DOCKER, { mode: 0o755 });
    const path = Deno.env.get("PATH")!;

    const release = await build(out, { TZ: "UTC" });
    const again = await build(second, { TZ: "Asia/Tokyo", PATH: `${folder}:${path}` });

    const step = (name: string, fn: (name: string) => Promise<void>) => t.step(name, () => fn(name));
    await step("two builds have the same bytes", () => assertSame(release, again));
    await step("SHA256SUMS has every file", () => assertSums(out));
    await step("the changelog is that of the version", () => assertChanges(out));
    await step("the image is built for both processors", () => assertImage(second));
    await step("npm installs the TypeScript client", (name) => assertNpm(name, out));
    await step("pip installs the Python client", (name) => assertPython(name, release));
    await step("go builds with the module", (name) => assertGo(name, out));
    await step("the chart has the files of the repository", () => assertChart(out));
    await step("Postman reads each operation", () => assertPostman(out));
    await step("the bill of materials has each package of the lock", () => assertBill(out));
  });
});

/** The time zone, the folder and the clock differ; the second has an image. */
function assertSame(first: Release, second: Release): Promise<void> {
  const [ones, others] = [first, second].map(({ artifacts }) =>
    artifacts.filter(({ name }) => name !== "image")
  );
  assert.deepEqual(ones, others);
  assert.deepEqual([first.version, first.commit], [VERSION, second.commit]);
  return Promise.resolve();
}

async function assertSums(out: string): Promise<void> {
  const sums = new Map(
    (await Deno.readTextFile(join(out, "SHA256SUMS"))).trim().split("\n")
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  const files = await listFiles(out);

  assert.deepEqual([...sums.keys()].sort(), files.filter((file) => file !== "SHA256SUMS"));
  for (const [file, sum] of sums) {
    const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(join(out, file)));
    assert.equal(sum, new Uint8Array(digest).toHex(), file);
  }
}

async function assertChanges(out: string): Promise<void> {
  const [heading, ...others] = (await Deno.readTextFile(join(out, "CHANGELOG.md"))).match(/^## .*$/gm)!;

  assert.ok(heading!.includes(VERSION), heading);
  assert.deepEqual(others, []);
}

async function assertImage(out: string): Promise<void> {
  const asked = await Deno.readTextFile(join(out, `image/outbound-${VERSION}.oci.tar`));

  assert.match(asked, / --platform linux\/amd64,linux\/arm64 /);
  assert.match(asked, /,rewrite-timestamp=true .* SOURCE_DATE_EPOCH=\d+ /);
  assert.match(asked, new RegExp(` org.opencontainers.image.version=${VERSION} .* \\.\\n$`));
}

const NODE_PROGRAM = `
import { Outbound, OutboundError } from "@outbound/sdk";
import { verifyWebhook } from "@outbound/sdk/webhooks";
const outbound = new Outbound({ baseUrl: "http://127.0.0.1:9", accessKey: "k" });
console.log(typeof outbound.sendCampaign, OutboundError.name, typeof verifyWebhook);`;

function assertNpm(name: string, out: string): Promise<void> {
  return makeClient(name, async (temp) => {
    await need("node", "npm");
    const folder = join(temp, "app");
    await installPackedClient(join(out, `npm/outbound-sdk-${VERSION}.tgz`), folder);
    await Deno.writeTextFile(join(folder, "main.js"), NODE_PROGRAM);

    assert.equal(await run(folder, ["node", "main.js"]), "function OutboundError function");
    assert.match(await run(folder, ["npx", "outbound", "--help"]), /Usage: outbound /);
  });
}

const PYTHON_PROGRAM = `
from importlib.metadata import version
from outbound import Outbound, OutboundError
outbound = Outbound(base_url="http://127.0.0.1:9", access_key="k")
print(version("outbound"), callable(outbound.campaigns.list_campaigns), OutboundError.__name__)`;

function assertPython(name: string, { out, artifacts }: Release): Promise<void> {
  return makeClient(name, async (folder) => {
    const hindrance = artifacts.find((artifact) => artifact.name === "python")!.skipped;
    if (hindrance !== undefined) return skipped(name, hindrance);
    const sources = join(out, `python/outbound-${VERSION}.tar.gz`);
    const wheel = join(out, `python/outbound-${VERSION}-py3-none-any.whl`);
    const python = await installWheel(wheel, join(folder, "client"));

    assert.equal(await run(folder, [python, "-c", PYTHON_PROGRAM]), `${VERSION} True OutboundError`);
    const names = (await run(folder, ["tar", "-tzf", sources])).split("\n");
    for (const file of ["LICENSE", "PKG-INFO", "README.md", "pyproject.toml", "src/outbound/py.typed"]) {
      assert.ok(names.includes(`outbound-${VERSION}/${file}`), file);
    }
  });
}

const GO_PROGRAM = `package main

import outbound "${MODULE}"

func main() {
	_, err := outbound.New(outbound.Options{BaseURL: "http://127.0.0.1:9", AccessKey: "k"})
	println(err == nil)
}
`;

function assertGo(name: string, out: string): Promise<void> {
  return makeClient(name, async (folder) => {
    await need("go");
    const env = {
      ...{ GOPROXY: `file://${join(out, "go")}`, GOSUMDB: "off", GOTOOLCHAIN: "local" },
      ...{ GOFLAGS: "-mod=mod -modcacherw", GOMODCACHE: join(folder, "modules") },
    };
    const app = join(folder, "app");
    await Deno.mkdir(app);
    await Deno.writeTextFile(join(app, "main.go"), GO_PROGRAM);
    await run(app, ["go", "mod", "init", "example.com/app"], env);

    await run(app, ["go", "get", `${MODULE}@latest`], env);

    const { Sum } = JSON.parse(await run(app, ["go", "mod", "download", "-json", MODULE], env));
    assert.equal(Sum, await checksum(`${MODULE}@v${VERSION}`));
    assert.match(await run(app, ["go", "list", "-m", MODULE], env), new RegExp(` v${VERSION}$`));
    assert.equal(await run(app, ["go", "run", "."], env), "true");
  });
}

/** The checksum that Go's database has of the module once its tag is published: that of the files, without folders. */
async function checksum(prefix: string): Promise<string> {
  const folder = join(ROOT, "sdk/go");
  const names = (await run(folder, ["git", "ls-files"])).split("\n").sort();
  const lines = await Promise.all(names.map(async (name) => {
    const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(join(folder, name)));
    return `${new Uint8Array(digest).toHex()}  ${prefix}/${name}\n`;
  }));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(lines.join("")));
  return `h1:${new Uint8Array(digest).toBase64()}`;
}

async function assertChart(out: string): Promise<void> {
  const chart = join(out, `helm/outbound-${VERSION}.tgz`);
  await withTempFolder(async (folder) => {
    await run(folder, ["tar", "-xzf", chart]);
    const unpacked = join(folder, "outbound");
    const tracked = await run(join(ROOT, "ops/helm/outbound"), ["git", "ls-files"]);
    const { name, version } = parse(await Deno.readTextFile(join(unpacked, "Chart.yaml")));

    assert.deepEqual([name, version], ["outbound", VERSION]);
    assert.deepEqual(await listFiles(unpacked), tracked.split("\n").sort());
  });
}

interface ReadCollection {
  requests: { method: string; url: string; auth: string; body: string | null }[];
  variables: Record<string, string>;
}

async function assertPostman(out: string): Promise<void> {
  const collection = JSON.parse(await Deno.readTextFile(join(out, "api/outbound.postman_collection.json")));
  const { paths } = JSON.parse(await Deno.readTextFile(join(ROOT, DOCUMENT)));
  const { requests, variables } = await runDevProgram<ReadCollection>(
    "read_postman_collection.ts",
    collection,
  );

  const expected = [];
  const examples = new Map<string, unknown>();
  for (const [path, item] of Object.entries<Record<string, DocumentedExample>>(paths)) {
    for (const [method, { tags, parameters = [], requestBody }] of Object.entries(item)) {
      if (tags[0] === "Platform callbacks") continue;
      const values = new Map(parameters.map(({ name, example }) => [name, String(example)]));
      const request = `${method.toUpperCase()} ${
        path.replaceAll(/\{(\w+)\}/g, (_, name) => values.get(name)!)
      }`;
      expected.push(request);
      examples.set(request, requestBody?.content["application/json"]?.example);
    }
  }
  const found = requests.map(({ method, url }) => `${method} ${url.replace(/^\{\{base_url\}\}|\?.*$/g, "")}`);
  assert.deepEqual(found.toSorted(), expected.sort());
  for (const [index, { body, auth }] of requests.entries()) {
    const example = examples.get(found[index]!);
    if (example !== undefined) assert.deepEqual(JSON.parse(body!), example, found[index]);
    for (const [, name] of auth.matchAll(/\{\{(\w+)\}\}/g)) assert.ok(name! in variables, name);
  }
  assert.equal(variables.base_url, "http://127.0.0.1:54321/functions/v1");
  const send = requests[found.indexOf("POST /notify")]!;
  assert.match(send.auth, /"bearer".*\{\{access_key\}\}/);
}

interface DocumentedExample {
  tags: string[];
  parameters?: { name: string; example?: unknown }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
}

async function assertBill(out: string): Promise<void> {
  const { npm } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.lock")));
  const { metadata, components } = JSON.parse(await Deno.readTextFile(join(out, "sbom.cdx.json")));
  const byRef = new Map<string, Component>(components.map((each: Component) => [each["bom-ref"], each]));

  assert.equal(metadata.component.version, VERSION);
  for (const [id, { integrity }] of Object.entries<{ integrity: string }>(npm)) {
    const { hashes, licenses } = byRef.get(id)!;
    assert.equal(`sha512-${Uint8Array.fromHex(hashes[0]!.content).toBase64()}`, integrity, id);
    assert.ok(licenses.length > 0, `${id} without a licence`);
  }
  assert.ok(byRef.has("pkg:pypi/httpx"));
}

interface Component {
  "bom-ref": string;
  hashes: { content: string }[];
  licenses: unknown[];
}

async function listFiles(folder: string): Promise<string[]> {
  const names = await Array.fromAsync(Deno.readDir(folder), async ({ name, isDirectory }) => {
    if (!isDirectory) return [name];
    return (await listFiles(join(folder, name))).map((each) => join(name, each));
  });
  return names.flat().sort();
}
