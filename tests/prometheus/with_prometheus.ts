import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { eventually } from "../setup/eventually.ts";
import type { JsonObject } from "../setup/http.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { freePort } from "../tools/postgres_cluster.ts";

export const OPS = fileURLToPath(new URL("../../ops", import.meta.url));

/** A Prometheus that scrapes every second. */
export interface Prometheus {
  /** Returns the result of an expression; fails with Prometheus' own message when it is malformed. */
  query(expression: string): Promise<JsonObject[]>;
  /** Waits until it has scraped so many times since now. */
  scrapes(count: number): Promise<void>;
}

/** Runs `use` with a Prometheus of its own, with the shipped alerts, that scrapes `target` (`host:port`). */
export async function withPrometheus(
  binary: string,
  target: string,
  use: (prometheus: Prometheus) => Promise<void>,
): Promise<void> {
  await withTempFolder(async (folder) => {
    const url = `http://127.0.0.1:${freePort()}`;
    await Deno.writeTextFile(`${folder}/prometheus.yml`, configFor(target));
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

function configFor(target: string): string {
  return JSON.stringify({
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: [`${OPS}/prometheus/alerts.yml`],
    scrape_configs: [{ job_name: "outbound", static_configs: [{ targets: [target] }] }],
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
  };
}
