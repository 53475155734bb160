/**
 * A stranger's traffic, in a thread of its own so that it takes no time from the honest caller who is measured.
 *
 * @module
 */
import { type Attack, ATTACKS } from "./traffic.ts";

const scope = self as unknown as {
  onmessage: (event: MessageEvent<{ attack: Attack; port: number }>) => void;
  postMessage(message: Record<string, number> | "ready"): void;
};

scope.onmessage = async ({ data: { attack, port } }) => {
  const statuses: Record<string, number> = {};
  const count = (status: number | string) => statuses[status] = (statuses[status] ?? 0) + 1;
  await ATTACKS[attack](port, count);
  scope.postMessage(statuses);
};

scope.postMessage("ready");
