import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { eventually } from "../setup/eventually.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { freePort } from "../setup/database/postgres_cluster.ts";

export const OPS = fileURLToPath(new URL("../../ops", import.meta.url));

/** A Prometheus that scrapes processes of the service. */
export interface Prometheus {
  /** Returns the result of an expression; fails with Prometheus' own message when it is malformed. */
  query(expression: string): Promise<JsonObject[]>;
  /** Waits until it has scraped so many times since now. */
  scrapes(count: number): Promise<void>;
  /** Returns the names of the alerts that fire, or that have fired since it began. */
  alerts(when: "now" | "ever"): Promise<string[]>;
}

export interface PrometheusOptions {
  /** The text of the alerts. @default those that are shipped */
  rules?: string;
  /** From one scrape to the next. @default 1000 */
  everyMs?: number;
}

/** Runs `use` with a Prometheus of its own that scrapes `targets` (`host:port`). */
export async function withPrometheus(
  binary: string,
  targets: string[],
  use: (prometheus: Prometheus) => Promise<void>,
  options: PrometheusOptions = {},
): Promise<void> {
  await withTempFolder(async (folder) => {
    const url = `http://127.0.0.1:${freePort()}`;
    await Deno.writeTextFile(`${folder}/alerts.yml`, options.rules ?? await readRules());
    await Deno.writeTextFile(`${folder}/prometheus.yml`, configFor(targets, options.everyMs ?? 1000));
    const process = new Deno.Command(binary, {
      args: [
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=${new URL(url).host}`,
        "--log.level=error",
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      await eventually(async () => {
        const response = await fetch(`${url}/-/ready`);
        await response.body?.cancel();
        assert.equal(response.status, 200);
      }, 30_000);
      await use(clientOf(url));
    } finally {
      process.kill("SIGTERM");
      await process.status;
    }
  });
}

/** Returns the text of the alerts that are shipped. */
export async function readRules(): Promise<string> {
  return await Deno.readTextFile(`${OPS}/prometheus/alerts.yml`);
}

function configFor(targets: string[], everyMs: number): string {
  const interval = `${everyMs}ms`;
  return JSON.stringify({
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: ["alerts.yml"],
    scrape_configs: [{ job_name: "outbound", static_configs: [{ targets }] }],
  });
}

function clientOf(url: string): Prometheus {
  async function query(expression: string): Promise<JsonObject[]> {
    const body = new URLSearchParams({ query: expression });
    const answer = await (await fetch(`${url}/api/v1/query`, { method: "POST", body })).json();
    assert.equal(answer.status, "success", `${expression}: ${answer.error}`);
    return answer.data.result;
  }

  return {
    query,
    async scrapes(count) {
      for (let last = Date.now() / 1000, scraped = 0; scraped < count; scraped++) {
        last = await eventually(async () => {
          const [row] = await query('timestamp(up{job="outbound"})');
          const at = Number(row?.value[1]);
          assert.ok(at > last);
          return at;
        }, 30_000);
      }
    },
    async alerts(when) {
      const firing = 'ALERTS{alertstate="firing"}';
      const series = when === "now" ? firing : `count_over_time(${firing}[1d])`;
      const rows = await query(`count by (alertname) (${series})`);
      return rows.map(({ metric }) => metric.alertname).sort();
    },
  };
}
