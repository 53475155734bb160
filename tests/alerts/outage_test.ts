import assert from "node:assert/strict";
import { startIntake } from "../faults/intake.ts";
import { eventually } from "../setup/eventually.ts";
import { withWatchedService } from "./watched_service.ts";

/** As often as ops/prometheus/prometheus.yml says. */
const EVERY_MS = 15_000;
const ALERT = "OutboundPlatformUnreachable";

Deno.test("an outage of the platform alerts within two minutes by the shipped rules, and the alert ends with it", (t) =>
  withWatchedService(t.name, { everyMs: EVERY_MS }, async (service) => {
    const { platform, prometheus } = service;
    const requests = startIntake(service, { contacts: 1, everyMs: 500 });
    await prometheus.scrapes(1);
    assert.deepEqual(await prometheus.alerts("ever"), []);

    await t.step("it begins", async () => {
      await platform.goDown();
      await eventually(async () => assert.deepEqual(await prometheus.alerts("now"), [ALERT]), 120_000);
      const { status, body } = await service.http.get("/health");
      assert.deepEqual([status, body.outages.length], [200, 1]);
    });
    await t.step("it ends", async () => {
      await platform.comeBack();
      await eventually(async () => assert.deepEqual(await prometheus.alerts("now"), []), 345_000);
    });
    await requests.stop();
    await service.settle();
    assert.deepEqual(await prometheus.alerts("ever"), [ALERT]);
  }));
