import assert from "node:assert/strict";
import {
  createFlightControl,
  type FlightControl,
} from "../../../supabase/functions/_shared/dispatching/flight_control.ts";

function land(flights: FlightControl, count: number): void {
  for (let n = 0; n < count; n++) flights.landed();
}

/** Claims all it may as long as there is work without end. */
function fill(flights: FlightControl): void {
  for (let free = flights.free(); free > 0; free = flights.free()) flights.tookOff(free, free);
}

Deno.test("createFlightControl() starts small and doubles while there is more to send", () => {
  const flights = createFlightControl();
  const limits: number[] = [];
  for (let round = 0; round < 6; round++) {
    const free = flights.free();
    flights.tookOff(free, free);
    limits.push(free);
    land(flights, flights.inFlight());
  }

  assert.deepEqual(limits, [32, 64, 128, 256, 512, 512]);
});

Deno.test("createFlightControl() never lets more than 512 fly", () => {
  const flights = createFlightControl();

  fill(flights);

  assert.equal(flights.inFlight(), 512);
  assert.equal(flights.free(), 0);
});

Deno.test("createFlightControl() claims again only when a quarter has landed", () => {
  const flights = createFlightControl();
  fill(flights);
  land(flights, 127);
  const early = flights.free();
  land(flights, 1);

  assert.deepEqual([early, flights.free()], [0, 128]);
});

Deno.test("createFlightControl() halves when there is little to send, down to 32", () => {
  const flights = createFlightControl();
  fill(flights);
  land(flights, 512);

  for (let round = 0; round < 6; round++) {
    flights.tookOff(1, flights.free());
    flights.landed();
  }

  assert.equal(flights.free(), 32);
});

Deno.test("createFlightControl() stays as it is when a claim comes back empty", () => {
  const flights = createFlightControl();
  fill(flights);
  land(flights, 512);

  flights.tookOff(0, flights.free());

  assert.equal(flights.free(), 512);
});

/** Longer than the test takes. */
const LONG_MS = 60_000;

Deno.test("untilFree() resolves when there is room, when it is aborted, or when it has waited long enough", async () => {
  const flights = createFlightControl();
  const never = new AbortController().signal;
  assert.equal(await flights.untilFree(LONG_MS, never), true);
  fill(flights);
  const controller = new AbortController();
  const [freed, aborted] = [
    flights.untilFree(LONG_MS, never),
    flights.untilFree(LONG_MS, controller.signal),
  ];

  controller.abort();
  assert.equal(await aborted, false);
  assert.equal(await flights.untilFree(1, never), false);
  land(flights, 128);
  assert.equal(await freed, true);
});

Deno.test("allLanded() resolves when nothing flies", async () => {
  const flights = createFlightControl();
  await flights.allLanded();
  flights.tookOff(2, 32);
  let landed = false;
  const all = flights.allLanded().then(() => landed = true);
  flights.landed();
  await Promise.resolve();
  assert.equal(landed, false);

  flights.landed();

  await all;
});
