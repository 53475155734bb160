import assert from "node:assert/strict";
import { printFigures } from "../faults/figures.ts";
import { insertCompany, insertKey } from "../setup/fixtures.ts";
import { withPostgresDatabase } from "../setup/postgres_database.ts";
import { type ServiceProcess, withServiceProcess } from "./service_process.ts";
import { type Attack, ATTACK_MS, SLOW_MS } from "./traffic.ts";

const SAMPLES = 100;
const PAUSE_MS = 5;
/** An honest request may take this many times what it takes in peace, and this much on top. */
const MAX_SLOWDOWN = 8;
const NOISE_MS = 40;
/** The service's memory under an attack, as a multiple of what it is in peace. */
const MAX_GROWTH = 1.6;

interface Expectation {
  attack: Attack;
  /** How the attacker's requests may end. */
  endings: string[];
  /** How long the attack goes on. @default ATTACK_MS */
  ms?: number;
}

const EXPECTED: Expectation[] = [
  { attack: "bodies that are declared and not sent", endings: ["open", "429"] },
  { attack: "a body sent byte by byte", endings: ["408", "closed"], ms: SLOW_MS },
  { attack: "a megabyte of fields with a wrong key", endings: ["401", "429", "closed"] },
  { attack: "a megabyte of lists to the log-in", endings: ["413", "closed"] },
  { attack: "wrong keys", endings: ["401", "429"] },
  { attack: "wrong keys from all over a /64", endings: ["401", "429"] },
  { attack: "large webhooks with a wrong signature", endings: ["401", "429", "closed"] },
];

/** A company that goes on working, and what its requests take. */
interface HonestCaller {
  /** The median of some requests made one after the other, in milliseconds. */
  medianMs(): Promise<number>;
}

for (const { attack, endings, ms = ATTACK_MS } of EXPECTED) {
  Deno.test(`an attack by ${attack} costs an honest caller and the memory little`, () =>
    withAttackedService(async (service, caller) => {
      // As long as the attack: memory grows with honest requests too.
      const calmUntil = Date.now() + ms;
      const calm = await observe(service, caller, () => Date.now() > calmUntil);
      const attacker = startAttack(attack, service.port);
      const under = await observe(service, caller, attacker.isOver);
      const ended = await attacker.endings;

      printFigures(attack, {
        "honest median, calm and attacked, ms": `${calm.medianMs.toFixed(1)} ${under.medianMs.toFixed(1)}`,
        "memory, calm and attacked, MiB": `${calm.memoryMib.toFixed(0)} ${under.memoryMib.toFixed(0)}`,
        "the attacker's requests": JSON.stringify(ended),
      });
      assert.deepEqual(Object.keys(ended).filter((ending) => !endings.includes(ending)), []);
      assert.ok(under.medianMs <= MAX_SLOWDOWN * calm.medianMs + NOISE_MS, "an honest caller noticed");
      assert.ok(under.memoryMib <= MAX_GROWTH * calm.memoryMib, "the attack took memory");
    }));
}

async function withAttackedService(
  fn: (service: ServiceProcess, caller: HonestCaller) => Promise<void>,
): Promise<void> {
  await withPostgresDatabase(async ({ sql, url }) => {
    const company = await insertCompany(sql);
    const { key } = await insertKey(sql, company.id, { rate_limit: 1_000_000 });
    await withServiceProcess(url, (service) =>
      fn(service, {
        medianMs: () =>
          medianMs(`${service.baseUrl}/notify/templates?access_key=${key}&phone_number=34600111222`),
      }));
  });
}

async function medianMs(url: string): Promise<number> {
  const times: number[] = [];
  while (times.length < SAMPLES) {
    const start = performance.now();
    const response = await fetch(url, { headers: { "X-Forwarded-For": "198.51.100.1" } });
    await response.body?.cancel();
    assert.equal(response.status, 200);
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return times.sort((a, b) => a - b)[SAMPLES / 2]!;
}

/** The median of the honest caller's medians, and the most memory, until `isOver`; one round at least. */
async function observe(service: ServiceProcess, caller: HonestCaller, isOver: () => boolean) {
  const medians: number[] = [];
  let memoryMib = 0;
  do {
    medians.push(await caller.medianMs());
    memoryMib = Math.max(memoryMib, await service.memoryMib());
  } while (!isOver());
  return { medianMs: medians.sort((a, b) => a - b)[Math.floor(medians.length / 2)]!, memoryMib };
}

function startAttack(attack: Attack, port: number): {
  isOver(): boolean;
  endings: Promise<Record<string, number>>;
} {
  const worker = new Worker(new URL("./attacker.ts", import.meta.url), { type: "module" });
  let over = false;
  const endings = new Promise<Record<string, number>>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage({ attack, port });
  }).finally(() => {
    over = true;
    worker.terminate();
  });
  return { isOver: () => over, endings };
}
