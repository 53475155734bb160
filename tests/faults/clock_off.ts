/**
 * Loaded before a dispatcher: its clock is off by the seconds in CLOCK_OFF_S.
 *
 * @module
 */
const offMs = Number(Deno.env.get("CLOCK_OFF_S")) * 1000;
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args) =>
    args.length > 0 ? Reflect.construct(target, args) : new target(target.now() + offMs),
  get: (target, name) => name === "now" ? () => target.now() + offMs : Reflect.get(target, name),
});
