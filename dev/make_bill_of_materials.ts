import { fileURLToPath } from "node:url";
import { Enums, Models, Serialize, SPDX, Spec } from "@cyclonedx/cyclonedx-library";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { respond } from "./respond.ts";

interface NpmPackage {
  id: string;
  name: string;
  version: string;
  /** Ids of others. */
  dependencies: string[];
  /** As a lock file has it: `sha512-`, and the hash in base64. */
  integrity: string;
  license?: string;
}

interface Materials {
  version: string;
  commit: string;
  time: string;
  packages: NpmPackage[];
  /** As pyproject.toml has them: `httpx>=0.27,<1`. */
  python: string[];
}

const { ComponentType, HashAlgorithm } = Enums;

/** Returns the bill of materials of a release as CycloneDX 1.6, which its published schema accepts. */
async function makeBill({ version, commit, time, packages, python }: Materials): Promise<string> {
  const bom = new Models.Bom();
  const product = new Models.Component(ComponentType.Application, "outbound", {
    version,
    bomRef: "outbound",
  });
  product.licenses.add(new Models.SpdxLicense("MIT"));
  product.properties.add(new Models.Property("outbound:commit", commit));
  bom.metadata.timestamp = new Date(time);
  bom.metadata.component = product;
  const components = new Map(packages.map((each) => [each.id, npmComponent(each)]));
  for (const { id, dependencies } of packages) {
    dependencies.forEach((other) => components.get(id)!.dependencies.add(components.get(other)!.bomRef));
  }
  for (const component of [...components.values(), ...python.map(pythonComponent)]) {
    bom.components.add(component);
    product.dependencies.add(component.bomRef);
  }
  const format = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const text = new Serialize.JsonSerializer(format).serialize(bom, { sortLists: true, space: 2 });
  await refuseInvalid(JSON.parse(text));
  return text;
}

function npmComponent({ id, name, version, integrity, license }: NpmPackage): Models.Component {
  const [, scope, short] = /^(?:(@[^/]+)\/)?(.+)$/.exec(name)!;
  const purl = `pkg:npm/${scope ? `${encodeURIComponent(scope)}/` : ""}${short}@${version}`;
  const component = new Models.Component(ComponentType.Library, short!, { version, bomRef: id, purl });
  if (scope) component.group = scope;
  const [algorithm, hash] = integrity.split("-", 2);
  if (algorithm !== "sha512") throw new Error(`${id}: the lock has a hash of ${algorithm}`);
  component.hashes.set(HashAlgorithm["SHA-512"], Uint8Array.fromBase64(hash!).toHex());
  if (license) component.licenses.add(licenseOf(license));
  return component;
}

function licenseOf(text: string): Models.License {
  if (SPDX.isSupportedSpdxId(text)) return new Models.SpdxLicense(text);
  return / (AND|OR|WITH) /.test(text) ? new Models.LicenseExpression(text) : new Models.NamedLicense(text);
}

/** The one who installs the client chooses the version, within the client's bounds. */
function pythonComponent(requirement: string): Models.Component {
  const [name] = /^[\w.-]+/.exec(requirement)!;
  const purl = `pkg:pypi/${name}`;
  const component = new Models.Component(ComponentType.Library, name, { bomRef: purl, purl });
  component.properties.add(new Models.Property("outbound:requirement", requirement));
  return component;
}

/** The library brings the schemas, under the names by which they refer to each other. */
async function refuseInvalid(bill: unknown): Promise<void> {
  const library = import.meta.resolve("@cyclonedx/cyclonedx-library/package.json");
  const read = async (file: string) =>
    JSON.parse(await Deno.readTextFile(fileURLToPath(new URL(`res/schema/${file}`, library))));
  const ajv = new Ajv({ strict: false, formats: { "idn-email": true, "iri-reference": true } });
  addFormats.default(ajv);
  for (const file of ["spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json"]) {
    ajv.addSchema(await read(file), `http://cyclonedx.org/schema/${file}`);
  }
  const isValid = ajv.compile(await read("bom-1.6.SNAPSHOT.schema.json"));
  if (!isValid(bill)) throw new Error(ajv.errorsText(isValid.errors));
}

if (import.meta.main) await respond(makeBill);
