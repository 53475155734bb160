import assert from "node:assert/strict";
import { printFigures } from "../faults/figures.ts";
import { insertCompany, insertKey } from "../setup/fixtures/fixtures.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { type ServiceProcess, withServiceProcess } from "./service_process.ts";
import { type Attack, ATTACK_MS } from "./traffic.ts";

const PAUSE_MS = 5;
const MEMORY_EVERY = 20;
/** An honest request may take this many times what it takes in peace, and this much on top. */
const MAX_SLOWDOWN = 8;
const NOISE_MS = 40;
/** The service's memory under an attack, as a multiple of what it is in peace. */
const MAX_GROWTH = 2;

interface Expectation {
  attack: Attack;
  /** How the attacker's requests may end. */
  endings: string[];
  /** How some of them must end. */
  some?: string;
}

const EXPECTED: Expectation[] = [
  { attack: "bodies that are declared and not sent", endings: ["open", "429"] },
  { attack: "a body sent byte by byte", endings: ["408", "429", "closed"], some: "408" },
  { attack: "a megabyte of fields with a wrong key", endings: ["401", "429", "closed"], some: "401" },
  { attack: "a megabyte of lists to the log-in", endings: ["413", "closed"], some: "413" },
  { attack: "chunks of one byte without end", endings: ["400", "closed"], some: "400" },
  { attack: "wrong keys", endings: ["401", "429"], some: "429" },
  { attack: "wrong keys from all over a /64", endings: ["401", "429"], some: "429" },
  { attack: "large webhooks with a wrong signature", endings: ["401", "429", "closed"], some: "429" },
];

for (const { attack, endings, some } of EXPECTED) {
  Deno.test(`an attack by ${attack} costs an honest caller and the memory little`, () =>
    withAttackedService(async (service, honestUrl) => {
      const calm = await observeCalm(service, honestUrl);
      const attacker = await startAttack(attack, service.port);
      const under = await observe(service, honestUrl, attacker.isOver);
      const ended = await attacker.endings;

      printFigures(attack, {
        "an honest request, calm and attacked, ms": `${calm.meanMs.toFixed(1)} ${under.meanMs.toFixed(1)}`,
        "memory, calm and attacked, MiB": `${calm.memoryMib.toFixed(0)} ${under.memoryMib.toFixed(0)}`,
        "the attacker's requests": JSON.stringify(ended),
      });
      assert.deepEqual(Object.keys(ended).filter((ending) => !endings.includes(ending)), []);
      assert.ok(some === undefined || ended[some]! > 0, `no request ended with ${some}`);
      assert.ok(under.meanMs <= MAX_SLOWDOWN * calm.meanMs + NOISE_MS, "an honest caller noticed");
      assert.ok(under.memoryMib <= MAX_GROWTH * calm.memoryMib, "the attack took memory");
    }));
}

/** Calls `fn` with the service and what a company of its own asks for all the time. */
async function withAttackedService(
  fn: (service: ServiceProcess, honestUrl: string) => Promise<void>,
): Promise<void> {
  await withPostgresDatabase(async ({ sql, url }) => {
    const company = await insertCompany(sql);
    const { key } = await insertKey(sql, company.id, { rate_limit: 1_000_000 });
    await withServiceProcess(
      url,
      (service) =>
        fn(service, `${service.baseUrl}/notify/templates?access_key=${key}&phone_number=34600111222`),
    );
  });
}

let observedCalm: Promise<Observation> | undefined;

/** Observes the first service before its attack: every test starts an equal one. */
function observeCalm(service: ServiceProcess, honestUrl: string): Promise<Observation> {
  // Memory grows with honest requests too, so a calm shorter than an attack makes the comparison stricter.
  const until = Date.now() + ATTACK_MS;
  return observedCalm ??= observe(service, honestUrl, () => Date.now() > until);
}

interface Observation {
  meanMs: number;
  memoryMib: number;
}

/** Measures honest requests, one after the other, and the peak of memory, until `isOver`. */
async function observe(
  service: ServiceProcess,
  honestUrl: string,
  isOver: () => boolean,
): Promise<Observation> {
  const times: number[] = [];
  let memoryMib = 0;
  do {
    times.push(await requestMs(honestUrl));
    if (times.length % MEMORY_EVERY === 1) memoryMib = Math.max(memoryMib, await service.memoryMib());
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  } while (!isOver());
  return { meanMs: times.reduce((sum, time) => sum + time, 0) / times.length, memoryMib };
}

async function requestMs(url: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(url, { headers: { "X-Forwarded-For": "198.51.100.1" } });
  await response.body?.cancel();
  assert.equal(response.status, 200);
  return performance.now() - start;
}

async function startAttack(attack: Attack, port: number): Promise<{
  isOver(): boolean;
  endings: Promise<Record<string, number>>;
}> {
  const worker = new Worker(new URL("./attacker.ts", import.meta.url), { type: "module" });
  const nextMessage = () =>
    new Promise<unknown>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });
  assert.equal(await nextMessage(), "ready");
  let over = false;
  const endings = nextMessage().finally(() => {
    over = true;
    worker.terminate();
  });
  worker.postMessage({ attack, port });
  return { isOver: () => over, endings: endings as Promise<Record<string, number>> };
}
