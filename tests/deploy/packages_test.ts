import assert from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import { SETTINGS } from "../../supabase/functions/_shared/settings.ts";
import { VERSION } from "../../supabase/functions/_shared/values/version.ts";
import { findBinary } from "../setup/find_binary.ts";
import { skipped } from "../setup/skipped.ts";
import { withTempFolder } from "../setup/temp_folder.ts";

const ROOT = new URL("../../", import.meta.url);

function read(path: string): Promise<string> {
  return Deno.readTextFile(new URL(path, ROOT));
}

interface ComposeService {
  command?: string[];
  entrypoint?: string[];
  env_file?: string;
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

Deno.test("compose.yaml passes .env on, but not the owner's password, and reads variables that .env.example has", async () => {
  const variables = [...(await read("compose.yaml")).matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!);
  const example = await read(".env.example");
  const { api, dispatch, admin, doctor, migrate } = await composeServices();

  for (const service of [api, dispatch, admin, doctor]) {
    assert.equal(service!.env_file, ".env");
    const { POSTGRES_PASSWORD, HOST, PORT } = service!.environment!;
    assert.deepEqual([POSTGRES_PASSWORD, HOST, PORT], ["", "", ""]);
  }
  assert.deepEqual(Object.keys(migrate!.environment!), ["DATABASE_URL"]);
  for (const name of new Set(variables)) {
    assert.ok(name === "OUTBOUND_TAG" || new RegExp(`^${name}=`, "m").test(example), name);
  }
});

Deno.test("the service is no owner of the tables in compose.yaml, and migrate grants its role", async () => {
  const { migrate, ...others } = await composeServices();

  assert.match(migrate!.environment!.DATABASE_URL!, /^postgres:\/\/outbound:\$\{POSTGRES_PASSWORD/);
  assert.deepEqual(migrate!.command, ["migrate", "--grant-to", "outbound_service"]);
  for (const name of ["api", "dispatch", "admin", "doctor"]) {
    const { DATABASE_URL } = others[name]!.environment!;
    assert.match(DATABASE_URL!, /^postgres:\/\/outbound_service:\$\{SERVICE_PASSWORD/, name);
  }
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

Deno.test("the Dockerfile takes the Deno that the tests run on", async () => {
  const versions = [...(await read("Dockerfile")).matchAll(/denoland\/deno:(?:bin-)?([\d.]+)/g)];
  const [, pinned] = /deno@([\d.]+)/.exec(await read(".ci/run")) ?? [];

  assert.deepEqual(versions.map(([, version]) => version), [pinned, pinned]);
});

const UNITS = ["outbound.service", "outbound-dispatch@.service", "outbound-migrate.service"];

Deno.test("the systemd units run tasks of deno.json, hardened", async () => {
  const { tasks } = JSON.parse(await read("deno.json"));

  for (const unit of UNITS) {
    const text = await read(`ops/systemd/${unit}`);
    const [, task] =
      /^ExecStart=\/usr\/bin\/deno task --quiet (\w+)( --grant-to outbound_service)?$/m.exec(text) ?? [];
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

Deno.test("Caddy finds no fault in the file of the console and the widgets without TLS", async () => {
  const caddy = await findBinary("caddy");
  if (caddy === undefined) return skipped("the file of the sites", "no caddy (apt-get install caddy)");
  const file = new URL("ops/caddy/sites.caddy", ROOT).pathname;
  const { success, stderr } = await new Deno.Command(caddy, {
    args: ["validate", "--adapter", "caddyfile", "--config", file],
    env: { WIDGET_HOST: "http://widgets.example.com:8080", CONSOLE_HOST: "http://console.example.com:8080" },
  }).output();

  assert.ok(success, new TextDecoder().decode(stderr));
});

Deno.test("both proxies make browsers use https alone", async () => {
  const nginx = await read("docs/proxy/nginx.conf");
  const caddy = await read("ops/caddy/sites.caddy") + await read("ops/caddy/Caddyfile");

  assert.match(nginx, /^ +add_header Strict-Transport-Security "max-age=31536000" always;$/m);
  const sites = caddy.match(/^\{\$\w+_HOST\} \{$/gm)!;
  assert.equal(caddy.match(/Strict-Transport-Security "max-age=31536000"/g)?.length, 1);
  assert.equal(caddy.match(/^\timport common$/gm)?.length, sites.length);
});

Deno.test("pin_images.sh pins every image to its digest, and a second time to its new one", async () => {
  const files = ["compose.yaml", "Dockerfile", "ops/postgres/Dockerfile", "ops/sites/Dockerfile"];
  await withTempFolder(async (folder) => {
    for (const image of ["postgres", "sites"]) {
      await Deno.mkdir(join(folder, "ops", image), { recursive: true });
    }
    for (const file of files) await Deno.writeTextFile(join(folder, file), await read(file));
    await Deno.writeTextFile(join(folder, "docker"), '#!/bin/sh\nprintf "sha256:%s" "$DIGEST"\n', {
      mode: 0o755,
    });
    const pin = async (digest: string): Promise<string[]> => {
      const { success, stderr } = await new Deno.Command("sh", {
        args: [new URL("ops/pin_images.sh", ROOT).pathname],
        cwd: folder,
        env: { PATH: `${folder}:${Deno.env.get("PATH")}`, DIGEST: digest },
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      const texts = await Promise.all(files.map((file) => Deno.readTextFile(join(folder, file))));
      return texts.join("\n").split("\n").filter((line) => /^(FROM| {4}image:) /.test(line));
    };

    await pin("a".repeat(64));
    const lines = await pin("b".repeat(64));

    assert.equal(lines.length, 7);
    for (const line of lines) {
      assert.match(
        line,
        /^(FROM( --platform=\$BUILDPLATFORM)?| {4}image:) [a-z/]+:[a-z0-9.-]+@sha256:b{64}( AS \w+)?$/,
      );
    }
  });
});

Deno.test("the chart keeps every secret out of its settings", async () => {
  const { definitions, properties } = JSON.parse(await read("ops/helm/outbound/values.schema.json"));

  assert.deepEqual(properties.settings.propertyNames.not, { $ref: "#/definitions/secret" });
  // The client of Postgres reads PGPASSWORD.
  for (const name of ["DATABASE_URL", "OUTBOUND_SECRETS_KEY", "OUTBOUND_METRICS_TOKEN", "PGPASSWORD"]) {
    assert.ok(definitions.secret.enum.includes(name), name);
  }
});

Deno.test("the chart has the version of the service, and asks for settings that exist", async () => {
  const { version, appVersion } = parse(await read("ops/helm/outbound/Chart.yaml"));
  const { settings } = parse(await read("ops/helm/outbound/values.yaml"));

  assert.deepEqual([version, appVersion], [VERSION, VERSION]);
  for (const name of Object.keys(settings)) assert.ok(SETTINGS.includes(name), name);
});
