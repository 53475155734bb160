import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { archiveFolder, copySources } from "../../cli/release_build/sources.ts";
import { VERSION } from "../../supabase/functions/_shared/values/version.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { skipped } from "../setup/skipped.ts";
import { findBinary } from "../setup/find_binary.ts";
import { withTempFolder } from "../setup/temp_folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CHART = join(ROOT, "ops/helm/outbound");

/** A helm that was built from its sources takes a cluster to be older than any in use. */
const KUBERNETES = ["--kube-version", "1.33.0"];

interface Rendered {
  success: boolean;
  errors: string;
  /** By kind and the end of the name. */
  objects: Record<string, JsonObject>;
}

/** Renders the chart as an installation with these values would. */
function render(helm: string, ...values: string[]): Promise<Rendered> {
  return renderChart(helm, CHART, values);
}

async function renderChart(helm: string, chart: string, values: string[]): Promise<Rendered> {
  const { success, stdout, stderr } = await new Deno.Command(helm, {
    args: ["template", "test", chart, ...KUBERNETES, ...values.flatMap((value) => ["--set", value])],
  }).output();
  const documents = parseAllDocuments(new TextDecoder().decode(stdout)) as { toJS(): JsonObject }[];
  const objects = documents.map((document) => document.toJS()).map((
    object,
  ) => [`${object.kind} ${object.metadata.name}`, object]);
  return { success, errors: new TextDecoder().decode(stderr), objects: Object.fromEntries(objects) };
}

async function findHelm(test: string): Promise<string | undefined> {
  const helm = await findBinary("helm");
  if (helm === undefined) skipped(test, "no helm (go install helm.sh/helm/v3/cmd/helm@latest)");
  return helm;
}

Deno.test("helm takes the chart as a release packs it", async () => {
  const helm = await findHelm("the packed Helm chart");
  if (helm === undefined) return;
  await withTempFolder(async (folder) => {
    const sources = await copySources(ROOT, folder, { allowChanges: true });
    const chart = join(folder, "outbound.tgz");
    await archiveFolder(sources, { path: "ops/helm/outbound", prefix: "outbound/", out: chart });

    assert.deepEqual(await renderChart(helm, chart, []), await render(helm));
  });
});

Deno.test("the chart renders service, dispatchers, migration and budget; an ingress only when asked for", async () => {
  const helm = await findHelm("the Helm chart");
  if (helm === undefined) return;

  const plain = await render(helm);
  const withIngress = await render(helm, "ingress.enabled=true");

  const names = [
    "Deployment test-dispatch",
    "Deployment test-serve",
    "Job test-migrate",
    "PodDisruptionBudget test-serve",
    "Service test",
  ];
  assert.deepEqual(Object.keys(plain.objects).sort(), names, plain.errors);
  assert.deepEqual(Object.keys(withIngress.objects).sort(), [...names, "Ingress test"].sort());
  assert.equal(
    withIngress.objects["Ingress test"]!.spec.rules[0].http.paths[0].backend.service.name,
    plain.objects["Service test"]!.metadata.name,
  );
});

Deno.test("every container of the chart runs as the image's user, on a read-only file tree, without privileges", async () => {
  const helm = await findHelm("the security of the Helm chart");
  if (helm === undefined) return;

  const { objects } = await render(helm);

  const pods = Object.values(objects).flatMap(({ spec }) => spec.template?.spec ?? []);
  assert.equal(pods.length, 3);
  for (const { securityContext, automountServiceAccountToken, containers: [container] } of pods) {
    assert.deepEqual([automountServiceAccountToken, securityContext.runAsUser], [false, 65532]);
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    assert.match(container.image, /^registry\.example\.com\/outbound:\d/);
  }
});

Deno.test("only the migration of the chart gets the Secret of the owner of the tables", async () => {
  const helm = await findHelm("the roles of the Helm chart");
  if (helm === undefined) return;

  const { objects } = await render(helm, "settings.HTTPS_PROXY=http://proxy:3128");

  const { "Job test-migrate": migrate, ...others } = objects;
  const [container] = migrate!.spec.template.spec.containers;
  assert.deepEqual(container.args, ["migrate", "--grant-to", "outbound_service"]);
  assert.equal(container.env[0].valueFrom.secretKeyRef.name, "outbound-migrate");
  assert.doesNotMatch(JSON.stringify(others), /outbound-migrate/);
});

Deno.test("helm finds no fault in the chart with its defaults", async () => {
  const helm = await findHelm("helm lint");
  if (helm === undefined) return;

  const { success, stdout } = await new Deno.Command(helm, {
    args: ["lint", "--strict", CHART, ...KUBERNETES],
  }).output();

  assert.ok(success, new TextDecoder().decode(stdout));
});

Deno.test("the service of the chart selects the pods of serve, whose port and probes fit", async () => {
  const helm = await findHelm("the probes of the Helm chart");
  if (helm === undefined) return;

  const { objects } = await render(helm, "serve.replicas=3");

  const { template, selector } = objects["Deployment test-serve"]!.spec;
  const [container] = template.spec.containers;
  assert.deepEqual(objects["Service test"]!.spec.selector, template.metadata.labels);
  assert.deepEqual(selector.matchLabels, template.metadata.labels);
  assert.deepEqual(container.ports, [{ name: "http", containerPort: 54321 }]);
  assert.deepEqual(container.readinessProbe.httpGet, { path: "/functions/v1/health", port: "http" });
});

Deno.test("the chart serves console and widgets from an image of one's own, through the ingress", async () => {
  const helm = await findHelm("the sites of the Helm chart");
  if (helm === undefined) return;

  const { objects, errors } = await render(
    helm,
    ...[
      "sites.enabled=true",
      "ingress.enabled=true",
      "ingress.tlsSecret=tls",
      "sites.consoleHost=c.example.com",
    ],
  );

  const { rules, tls } = objects["Ingress test"]!.spec;
  const hosts = ["api.example.com", "c.example.com", "widgets.example.com"];
  assert.deepEqual(rules.map(({ host }: JsonObject) => host), hosts, errors);
  assert.deepEqual(tls[0].hosts, hosts);
  const services = rules.map(({ http }: JsonObject) => http.paths[0].backend.service.name);
  assert.deepEqual(services, ["test", "test-sites", "test-sites"]);
  const { template } = objects["Deployment test-sites"]!.spec;
  assert.deepEqual(objects["Service test-sites"]!.spec.selector, template.metadata.labels);
  const [{ env, image, envFrom }] = template.spec.containers;
  assert.deepEqual(env, [
    { name: "CONSOLE_HOST", value: "http://c.example.com:8080" },
    { name: "WIDGET_HOST", value: "http://widgets.example.com:8080" },
  ]);
  assert.deepEqual([image, envFrom], [`registry.example.com/outbound-sites:${VERSION}`, undefined]);
});

Deno.test("the chart has Prometheus scrape every process of the service as the job of the alerts", async () => {
  const helm = await findHelm("the metrics of the Helm chart");
  if (helm === undefined) return;

  const { objects } = await render(helm, "metrics.enabled=true", "metrics.serviceMonitor.enabled=true");

  const { selector, ports } = objects["Service test-metrics"]!.spec;
  for (const workload of ["serve", "dispatch"]) {
    const { metadata, spec } = objects[`Deployment test-${workload}`]!.spec.template;
    for (const [name, value] of Object.entries(selector)) assert.equal(metadata.labels[name], value);
    const [container] = spec.containers;
    assert.deepEqual(container.ports.at(-1), { name: "metrics", containerPort: ports[0].port });
    assert.ok(container.env.some(({ name }: JsonObject) => name === "OUTBOUND_METRICS_PORT"));
  }
  assert.ok(!("outbound-metrics" in objects["Job test-migrate"]!.spec.template.metadata.labels));
  const { jobLabel, endpoints, selector: services } = objects["ServiceMonitor test"]!.spec;
  const { labels } = objects["Service test-metrics"]!.metadata;
  assert.equal(labels[jobLabel], "outbound");
  for (const [name, value] of Object.entries(services.matchLabels)) assert.equal(labels[name], value);
  assert.deepEqual(endpoints[0].authorization.credentials, {
    name: "outbound",
    key: "OUTBOUND_METRICS_TOKEN",
  });
});

Deno.test("variables, volumes and the account of the chart's values reach every process of the service", async () => {
  const helm = await findHelm("the extra values of the Helm chart");
  if (helm === undefined) return;

  const { objects } = await render(
    helm,
    ...["extraEnv[0].name=HTTPS_PROXY", "extraEnv[0].valueFrom.secretKeyRef.name=s"],
    ...["extraVolumes[0].name=ca", "extraVolumes[0].configMap.name=ca"],
    ...["extraVolumeMounts[0].name=ca", "extraVolumeMounts[0].mountPath=/etc/outbound"],
    ...["serviceAccount.name=mine", `image.digest=sha256:${"a".repeat(64)}`],
  );

  const pods = Object.values(objects).flatMap(({ spec }) => spec.template?.spec ?? []);
  assert.equal(pods.length, 3);
  for (const { serviceAccountName, volumes, containers: [container] } of pods) {
    assert.deepEqual([serviceAccountName, volumes[0].name], ["mine", "ca"]);
    assert.equal(container.env.at(-1).name, "HTTPS_PROXY");
    assert.deepEqual(container.volumeMounts, [{ name: "ca", mountPath: "/etc/outbound" }]);
    assert.equal(container.image, `registry.example.com/outbound@sha256:${"a".repeat(64)}`);
  }
});

for (
  const [what, value] of [
    ["without a Secret", "existingSecret="],
    ["with a secret among the settings", "settings.OUTBOUND_SECRETS_KEY=abc"],
    ["with the database's password among the settings", "settings.PGPASSWORD=abc"],
    ["with the token of the metrics among the settings", "settings.OUTBOUND_METRICS_TOKEN=abcdefghijklmnop"],
    ["with a proxy's password among the settings", "settings.HTTPS_PROXY=http://u:secret@proxy:3128"],
    ["with a proxy's password and no scheme", "settings.HTTPS_PROXY=u:secret@proxy:3128"],
    [
      "with a secret in clear among the extra variables",
      "extraEnv[0].name=OUTBOUND_SECRETS_KEY,extraEnv[0].value=abc",
    ],
    ["with a digest that is none", "image.digest=latest"],
    ["that runs as the owner of the tables", "migrate.grantTo="],
    ["with an unknown value", "replicas=3"],
    ["with a setting that is no text", "settings.OUTBOUND_TRUSTED_PROXIES=1"],
  ] as const
) {
  Deno.test(`the chart refuses an installation ${what}`, async () => {
    const helm = await findHelm("the values of the Helm chart");
    if (helm === undefined) return;

    const { success, errors } = await render(helm, value);

    assert.equal(success, false);
    assert.match(errors, /don't meet the specifications of the schema/);
  });
}
