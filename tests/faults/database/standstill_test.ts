import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import { underLoad } from "../load.ts";
import { withFaults } from "../with_faults.ts";
import { startCuttingProxy } from "./cutting_proxy.ts";

/** Longer than the API and the dispatchers wait before they end their connections, and than the leases of 2 s. */
const STILL_MS = 15_000;

const STANDSTILL =
  "a database that stands still under its open connections, and goes on with what it was sent: " +
  "nothing is lost, nothing is sent twice";

Deno.test(STANDSTILL, () =>
  withPostgresDatabase(async ({ url }) => {
    const address = new URL(url);
    const proxy = startCuttingProxy(Number(address.port), () => ({ up: Infinity, down: Infinity }));
    address.port = String(proxy.port);
    try {
      await withFaults((t) =>
        underLoad(t, {
          test: STANDSTILL,
          async fault() {
            proxy.standStill("all");
            await new Promise((resolve) => setTimeout(resolve, STILL_MS));
            proxy.goOn();
          },
        }), { databaseUrl: address.href, ratePerSecond: 400 });
    } finally {
      await proxy.close();
    }
  }));
