import assert from "node:assert/strict";
import { parse } from "yaml";
import { SETTINGS } from "../../supabase/functions/_shared/env.ts";
import { VERSION } from "../../supabase/functions/_shared/version.ts";
import { findBinary } from "../tools/find_binary.ts";
import { skipped } from "../setup/skipped.ts";

const ROOT = new URL("../../", import.meta.url);

/** Settings of `deno task start` alone. */
const LOCAL = ["LOCAL_HOSTS", "OUTBOUND_HOME"];
const PRODUCTION = SETTINGS.filter((name) => !LOCAL.includes(name));
/** Variables of .env.example that compose.yaml alone reads. */
const OF_COMPOSE = ["POSTGRES_PASSWORD", "API_HOST", "WIDGET_HOST", "CONSOLE_HOST", "DISPATCHERS"];
/** Settings that compose.yaml makes itself: the database beside it, the port inside the container, Caddy in front. */
const SET_BY_COMPOSE = ["DATABASE_URL", "PORT", "TRUSTED_PROXIES"];

function read(path: string): Promise<string> {
  return Deno.readTextFile(new URL(path, ROOT));
}

interface ComposeService {
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  ports?: string[];
}

async function composeServices(): Promise<Record<string, ComposeService>> {
  return parse(await read("compose.yaml"), { merge: true }).services;
}

async function imageCommands(): Promise<string[]> {
  const script = await read("ops/image/entrypoint.sh");
  return [...script.matchAll(/^([a-z |]+)\)$/gm)].flatMap(([, names]) => names!.split(" | "));
}

Deno.test(".env.example has every setting of production once, each with a line that says what it is", async () => {
  const lines = (await read(".env.example")).split("\n");
  const found = lines.flatMap((line, index) => {
    const name = /^([A-Z_]+)=/.exec(line)?.[1];
    if (name !== undefined) assert.match(lines[index - 1]!, /^# .+:$/, name);
    return name ?? [];
  });

  assert.deepEqual(found.sort(), [...PRODUCTION, ...OF_COMPOSE].sort());
});

Deno.test(".env.example shows the defaults of docs/settings.md", async () => {
  const example = await read(".env.example");
  const rows = (await read("docs/settings.md")).matchAll(/^\| `([A-Z_]+)` +\| `([^`]+)` +\|/gm);

  const compared = [...rows].filter(([, name]) => !LOCAL.includes(name!) && name !== "TRUSTED_PROXIES");

  assert.ok(compared.length >= 8);
  for (const [, name, value] of compared) assert.match(example, new RegExp(`^${name}=${value}$`, "m"));
});

Deno.test("compose.yaml passes on settings that exist, and reads variables that .env.example has", async () => {
  const text = await read("compose.yaml");
  const { api, dispatch, migrate } = await composeServices();
  const variables = [...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!);

  const settings = Object.keys(api!.environment!);
  assert.deepEqual(settings.sort(), PRODUCTION.filter((name) => name !== "PORT").sort());
  assert.deepEqual(Object.keys(dispatch!.environment!).sort(), settings);
  assert.deepEqual(Object.keys(migrate!.environment!), ["DATABASE_URL"]);
  const known = [...PRODUCTION, ...OF_COMPOSE, "OUTBOUND_TAG"].filter((name) =>
    !SET_BY_COMPOSE.includes(name)
  );
  assert.deepEqual([...new Set(variables)].sort(), known.sort());
});

Deno.test("compose.yaml runs commands that the image has", async () => {
  const commands = await imageCommands();
  const services = Object.entries(await composeServices()).filter(([name]) =>
    !["db", "proxy"].includes(name)
  );

  assert.ok(commands.includes("serve"));
  for (const [name, { command, entrypoint }] of services) {
    const [first] = entrypoint?.slice(1) ?? command!;
    assert.ok(commands.includes(first!), `${name}: ${first}`);
  }
});

Deno.test("compose.yaml gives no container more than it needs, and publishes the proxy alone", async () => {
  for (const [name, service] of Object.entries(await composeServices())) {
    const { read_only, cap_drop, security_opt, ports } = service;
    const seen = { read_only, cap_drop, security_opt, isPublished: ports !== undefined };
    const expected = { read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] };
    assert.deepEqual(seen, { ...expected, isPublished: name === "proxy" }, name);
  }
});

Deno.test("the Dockerfile makes what deno task image makes", async () => {
  const [dockerfile, ociImage] = [await read("Dockerfile"), await read("cli/image/oci_image.ts")];

  for (const part of ["65532", "/srv/outbound", "/srv/deno", "54321", "SIGTERM", "entrypoint.sh"]) {
    assert.ok(dockerfile.includes(part), part);
  }
  assert.ok(ociImage.includes("/srv/outbound/ops/image/entrypoint.sh"));
  const versions = [...dockerfile.matchAll(/denoland\/deno:(?:bin-)?([\d.]+)/g)].map(([, version]) =>
    version
  );
  const [, pinned] = /deno@([\d.]+)/.exec(await read(".ci/run")) ?? [];
  assert.deepEqual(versions, [pinned, pinned]);
});

const UNITS = ["outbound.service", "outbound-dispatch@.service", "outbound-migrate.service"];

Deno.test("the systemd units run tasks of deno.json, hardened", async () => {
  const { tasks } = JSON.parse(await read("deno.json"));

  for (const unit of UNITS) {
    const text = await read(`ops/systemd/${unit}`);
    const [, task] = /^ExecStart=\/usr\/bin\/deno task --quiet (\w+)$/m.exec(text) ?? [];
    assert.ok(Object.hasOwn(tasks, task!), unit);
    for (
      const line of [
        "DynamicUser=yes",
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "CapabilityBoundingSet=",
      ]
    ) {
      assert.match(text, new RegExp(`^${line}$`, "m"), unit);
    }
  }
});

Deno.test("systemd finds no fault in the units", async () => {
  if (await findBinary("systemd-analyze") === undefined) {
    return skipped("the systemd units", "no systemd-analyze here");
  }
  const paths = UNITS.map((unit) => new URL(`ops/systemd/${unit.replace("@", "@1")}`, ROOT).pathname);
  const { stderr } = await new Deno.Command("systemd-analyze", { args: ["verify", "--man=no", ...paths] })
    .output();
  const faults = new TextDecoder().decode(stderr).split("\n")
    // /usr/bin/deno is elsewhere on the machine of a test.
    .filter((line) => line !== "" && !line.endsWith("/deno is not executable: No such file or directory"));

  assert.deepEqual(faults, []);
});

Deno.test("Caddy finds no fault in its file", async () => {
  const caddy = await findBinary("caddy");
  if (caddy === undefined) return skipped("the Caddyfile", "no caddy (apt-get install caddy)");
  const file = new URL("ops/caddy/Caddyfile", ROOT).pathname;
  const { success, stderr } = await new Deno.Command(caddy, {
    args: ["validate", "--adapter", "caddyfile", "--config", file],
    env: {
      API_HOST: "api.example.com",
      WIDGET_HOST: "widgets.example.com",
      CONSOLE_HOST: "console.example.com",
    },
  }).output();

  assert.ok(success, new TextDecoder().decode(stderr));
});

Deno.test("the chart has the version of the service, and asks for settings that exist", async () => {
  const { version, appVersion } = parse(await read("ops/helm/outbound/Chart.yaml"));
  const { settings } = parse(await read("ops/helm/outbound/values.yaml"));
  const schema = JSON.parse(await read("ops/helm/outbound/values.schema.json"));
  const secrets = (schema.properties.settings.not.anyOf as { required: string[] }[]).map(({ required }) =>
    required[0]!
  );

  assert.deepEqual([version, appVersion], [VERSION, VERSION]);
  for (const name of [...Object.keys(settings), ...secrets]) assert.ok(SETTINGS.includes(name), name);
});
